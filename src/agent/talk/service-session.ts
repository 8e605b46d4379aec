import type { LoadedConfig } from '../../config/load.ts';
import { hasCode, isAbort, toUndefined } from '../../errors/codes.ts';
import type { RegistrationDependencies } from '../../identity/authenticate.ts';
import { findOtherClients } from '../../identity/find-client.ts';
import { loadDevice, type Machine, settleOn } from '../../identity/load.ts';
import { keepOwnToken, pickNewest } from '../../identity/own-token.ts';
import { ensureRegistration } from '../../identity/registration.ts';
import {
  createRegistrationFiles,
  type NetworkJwtState,
  type Registration,
} from '../../identity/registration-files.ts';
import { renew } from '../../identity/renew.ts';
import {
  confirmRefusal,
  forgetNetworkJwt,
  isRefusedForGood,
  resolveNetworkJwt,
} from '../../identity/sign-in.ts';
import type { Secret } from '../../lib/secret.ts';
import { dayMs } from '../../lib/units.ts';
import { wantIssuedTunnel } from '../../source/source.ts';
import { version } from '../../version.ts';
import type { AgentState, Shared } from '../state.ts';
import { chooseDescription } from '../to-facts.ts';
import { readServiceTime } from './service-time.ts';
import { createTokenRenewal } from './token-renewal.ts';

/** Notices that are remembered, so that each is told once; a hostile service may send many. */
const mostTold = 20;

/**
 * The conversation with the service, one attempt each, and what is kept of it across restarts. The
 * loop calls `load` once, then in each round `signIn` and, with its token, `register` until that
 * has worked, from then on `renew`.
 */
export interface ServiceSession {
  /**
   * The registration on the disk, to keep the tunnel until the service is asked; undefined where
   * the device is signed out or not registered.
   * @throws identity-moved, state-unreadable, state-unwritable
   */
  load(): Promise<Registration | undefined>;
  /**
   * What the device asks by: its own token, which it has once it was renewed; before that its
   * owner's, which is stored, in use, given, or bought with the auth code, which is spent by that.
   * @throws identity-moved, signed-out, auth-code-refused, state-unreadable, state-unwritable,
   * codes of `call`
   */
  signIn(signal: AbortSignal): Promise<Secret>;
  /** Loads, recovers or creates the registration. @throws codes of `ensureRegistration` */
  register(token: Secret, signal: AbortSignal): Promise<Registration>;
  /**
   * Renews an existing registration. The first renewal after a sign-in is by the owner's token, so
   * that a sign-in to another network shows. Where the next one is taken by the device's own, that
   * one is kept, and the owner's is needed no more.
   * @throws codes of `renew` in identity
   */
  renew(token: Secret, registration: Registration, signal: AbortSignal): Promise<Registration>;
  /** True where a second operation refuses the token too. @throws AbortError */
  confirmRefusal(token: Secret, signal: AbortSignal): Promise<boolean>;
  /**
   * Drops a token that was refused for so long (ms) that it will not be accepted again; true if it
   * was dropped.
   * @throws state-unwritable
   */
  dropIfUseless(token: Secret, refusedMs: number): Promise<boolean>;
}

export interface ServiceSessionParts
  extends Pick<Shared, 'client' | 'state' | 'facts' | 'directory' | 'onSetAside' | 'log' | 'now'>,
    Pick<LoadedConfig, 'credentials'>,
    Pick<RegistrationDependencies, 'onIssued'> {
  readonly machine: Machine;
}

export function createServiceSession(parts: ServiceSessionParts): ServiceSession {
  const { client, state, facts, credentials, directory, machine, onSetAside, log, now } = parts;
  const files = createRegistrationFiles(directory, onSetAside);
  const store = files.networkJwt;
  const { renewInTime } = createTokenRenewal({ client, store, state, log, now });
  let answeredForMs: AgentState['path']['rungForMs'];
  /**
   * True while the other end was asked for a handshake and did not answer. The production service
   * shows a changed tunnel only in its list of clients, which is read once for each such case.
   */
  const isRung = () =>
    facts().sources.some(
      ({ name, asksService }) =>
        asksService && state.path.rungForMs?.[name] !== answeredForMs?.[name],
    );
  const isTextRefused = () =>
    Object.values(state.path.sourceNotes ?? {}).some(
      ({ problem }) => problem?.code === 'wireguard-text-refused',
    );
  // Each renewal may bring the notice again, and a line every minute wears out an SD card.
  const told = new Set<string>();
  const tellOnce = (notice: string) => {
    if (told.has(notice)) return;
    if (told.size === mostTold) told.clear();
    told.add(notice);
    log.warn({ notice }, 'notice from the service about the registration');
  };
  const dependencies = (token: Secret): RegistrationDependencies => {
    const { config } = state.configuration;
    const spec = config.device.spec ?? `tributary/${version} linux-${process.arch}`;
    return {
      client,
      files,
      token,
      desired: {
        description: chooseDescription(config),
        spec,
        wantsTunnel: wantIssuedTunnel(state.sources.all),
        proxy: config.proxy,
      },
      needsTunnel: isTextRefused() || isRung(),
      onNotice: tellOnce,
      onIssued: parts.onIssued,
    };
  };
  /** As it lies on the disk; undefined without one, and then nothing is written. */
  const reload = async () => {
    if ((await files.registration.readOrSetAside()) === undefined) return undefined;
    return (await loadDevice(files)).registration;
  };
  /** Whose token the last `signIn` gave. */
  let holder: NetworkJwtState['holder'] = 'owner';
  /** Since when this process asks by the device's own token, by `performance.now()`. */
  let usedSinceMs = performance.now();
  /** The owner's token that has renewed in this process. */
  let renewedBy: Secret | undefined;
  /** Until when the device's own token is not tried again, by `performance.now()`. */
  let ownRestsUntilMs = Number.NEGATIVE_INFINITY;
  const keepOwn = async (before: Secret, { clientJwt: own }: Registration) => {
    const usedForMs = performance.now() - usedSinceMs;
    await keepOwnToken(store, { own, before, now: now(), usedForMs });
  };
  /** Keeps the other clients of this device with the registration; none where there are none. */
  const noteOthers = async (registration: Registration, ids: readonly string[]) => {
    const noted = { ...registration, otherClientIds: ids.length === 0 ? undefined : ids };
    if (ids.join() === (registration.otherClientIds ?? []).join()) return noted;
    await files.registration.write(noted).catch(toUndefined('state-unwritable'));
    return noted;
  };
  /** By the owner's token; by the device's own where the owner's is not good any more. */
  const renewByOwners = async (
    token: Secret,
    registration: Registration,
    signal: AbortSignal,
  ): Promise<Registration> => {
    const renewed = await renew(dependencies(token), registration, signal).catch(
      async (error: unknown) => {
        if (!hasCode(error, 'not-authorized')) throw error;
        const own = renew(dependencies(registration.clientJwt), registration, signal);
        return own.catch((again: unknown) => {
          throw isAbort(again) ? again : error;
        });
      },
    );
    if (token.equals(renewedBy)) return renewed;
    renewedBy = token;
    // The device's own token will show this client alone.
    const looked = findOtherClients(dependencies(token), renewed, signal);
    const others = await looked.catch((error: unknown) => {
      if (isAbort(error) && signal.aborted) throw error;
    });
    return others === undefined ? renewed : noteOthers(renewed, others);
  };
  const renewByOwn = async (
    token: Secret,
    registration: Registration,
    signal: AbortSignal,
  ): Promise<Registration> => {
    if (performance.now() < ownRestsUntilMs) return renewByOwners(token, registration, signal);
    const own = dependencies(registration.clientJwt);
    const renewed = await renew(own, registration, signal).catch((error: unknown) => {
      // What the service shows to this token alone does not prove that it has lost the client.
      const isAnswer = hasCode(error, 'not-authorized', 'service-refused', 'client-lost');
      if (!isAnswer) throw error;
      ownRestsUntilMs = performance.now() + dayMs;
    });
    if (renewed === undefined) return renewByOwners(token, registration, signal);
    usedSinceMs = performance.now();
    await keepOwn(token, renewed);
    log.info('the service takes the token of this device alone');
    return renewed;
  };
  const renewByKept = async (
    token: Secret,
    registration: Registration,
    signal: AbortSignal,
  ): Promise<Registration> => {
    const renewed = await renew(dependencies(token), registration, signal);
    await keepOwn(token, renewed);
    return renewed;
  };
  return {
    async load() {
      const signIn = await store.readOrSetAside();
      if (signIn !== undefined && signIn.token === undefined) return undefined;
      // A lost sign-in is no sign-out: the registration holds the device's own token.
      if (signIn === undefined && (await files.registration.readOrSetAside()) === undefined)
        return undefined;
      await settleOn(machine, files);
      return (await loadDevice(files)).registration;
    },
    async signIn(signal) {
      await settleOn(machine, files);
      const kept = await store.readOrSetAside();
      const known = state.service.registration ?? (kept === undefined ? await reload() : undefined);
      const own = known?.clientJwt;
      const stored = kept?.holder === 'device' ? kept.token : undefined;
      // The newest one may be in either document, or only here. A start that could not read the
      // disk has not loaded the registration.
      const isOwn = kept === undefined || stored !== undefined;
      const token = isOwn ? pickNewest([own, stored]) : undefined;
      holder = token === undefined ? 'owner' : 'device';
      if (token !== undefined) return token;
      const inUse = own?.equals(state.service.token) ? undefined : state.service.token;
      const networkJwt = inUse ?? credentials.networkJwt;
      return resolveNetworkJwt({ client, store }, { ...credentials, networkJwt }, signal);
    },
    async register(token, signal) {
      const registration = await ensureRegistration(dependencies(token), signal);
      await settleOn(machine, files);
      log.info({ clientId: registration.clientId }, 'registered');
      return registration;
    },
    async renew(token, registration, signal) {
      const { rungForMs } = state.path;
      const renewNow =
        holder === 'device' ? renewByKept : token.equals(renewedBy) ? renewByOwn : renewByOwners;
      const renewed = await renewNow(token, registration, signal);
      answeredForMs = rungForMs;
      return renewInTime(token, renewed, signal);
    },
    confirmRefusal: (token, signal) => confirmRefusal(client, token, signal),
    async dropIfUseless(token, refusedMs) {
      const isUseless = isRefusedForGood(token, refusedMs, readServiceTime(state.contact));
      if (isUseless) await forgetNetworkJwt(store, token);
      return isUseless;
    },
  };
}
