import type { LoadedConfig } from '../../config/load.ts';
import type { RegistrationDependencies } from '../../identity/authenticate.ts';
import { loadDevice, type Machine, settleOn } from '../../identity/load.ts';
import { ensureRegistration } from '../../identity/registration.ts';
import { createRegistrationFiles, type Registration } from '../../identity/registration-files.ts';
import { renew } from '../../identity/renew.ts';
import {
  confirmRefusal,
  forgetNetworkJwt,
  isRefusedForGood,
  resolveNetworkJwt,
} from '../../identity/sign-in.ts';
import type { Secret } from '../../lib/secret.ts';
import { wantIssuedTunnel } from '../../source/source.ts';
import { version } from '../../version.ts';
import type { AgentState, Shared } from '../state.ts';
import { chooseDescription } from '../to-facts.ts';

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
   * The network JWT: stored, in use, given, or bought with the auth code, which is spent by that.
   * @throws identity-moved, signed-out, auth-code-refused, state-unreadable, state-unwritable,
   * codes of `call`
   */
  signIn(signal: AbortSignal): Promise<Secret>;
  /** Loads, recovers or creates the registration. @throws codes of `ensureRegistration` */
  register(networkJwt: Secret, signal: AbortSignal): Promise<Registration>;
  /** Renews an existing registration. @throws codes of `renew` in identity */
  renew(networkJwt: Secret, registration: Registration, signal: AbortSignal): Promise<Registration>;
  /** True where a second operation refuses the token too. @throws AbortError */
  confirmRefusal(networkJwt: Secret, signal: AbortSignal): Promise<boolean>;
  /**
   * Drops a token that was refused for so long (ms) that it will not be accepted again; true if it
   * was dropped.
   * @throws state-unwritable
   */
  dropIfUseless(networkJwt: Secret, refusedMs: number): Promise<boolean>;
}

export interface ServiceSessionParts
  extends Pick<Shared, 'client' | 'state' | 'facts' | 'directory' | 'onSetAside' | 'log' | 'now'>,
    Pick<LoadedConfig, 'credentials'> {
  readonly machine: Machine;
}

export function createServiceSession(parts: ServiceSessionParts): ServiceSession {
  const { client, state, facts, credentials, directory, machine, onSetAside, log, now } = parts;
  const files = createRegistrationFiles(directory, onSetAside);
  const store = files.networkJwt;
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
  const dependencies = (networkJwt: Secret): RegistrationDependencies => {
    const { config } = state.configuration;
    const spec = config.device.spec ?? `tributary/${version} linux-${process.arch}`;
    return {
      client,
      files,
      networkJwt,
      desired: {
        description: chooseDescription(config),
        spec,
        wantsTunnel: wantIssuedTunnel(state.sources.all),
        proxy: config.proxy,
      },
      needsTunnel: isTextRefused() || isRung(),
      onNotice: (notice) => log.warn({ notice }, 'notice from the service about the registration'),
    };
  };
  return {
    async load() {
      if ((await store.readOrSetAside())?.token === undefined) return undefined;
      await settleOn(machine, files);
      return (await loadDevice(files)).registration;
    },
    async signIn(signal) {
      await settleOn(machine, files);
      const networkJwt = state.service.networkJwt ?? credentials.networkJwt;
      return resolveNetworkJwt({ client, store }, { ...credentials, networkJwt }, signal);
    },
    async register(networkJwt, signal) {
      const registration = await ensureRegistration(dependencies(networkJwt), signal);
      await settleOn(machine, files);
      log.info({ clientId: registration.clientId }, 'registered');
      return registration;
    },
    async renew(networkJwt, registration, signal) {
      const { rungForMs } = state.path;
      const renewed = await renew(dependencies(networkJwt), registration, signal);
      answeredForMs = rungForMs;
      return renewed;
    },
    confirmRefusal: (networkJwt, signal) => confirmRefusal(client, networkJwt, signal),
    async dropIfUseless(networkJwt, refusedMs) {
      const isUseless = isRefusedForGood(networkJwt, refusedMs, now());
      if (isUseless) await forgetNetworkJwt(store, networkJwt);
      return isUseless;
    },
  };
}
