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
import { isHandshakeOverdue } from '../../source/wireguard/fresh-handshake.ts';
import { version } from '../../version.ts';
import type { Shared } from '../state.ts';
import { chooseDescription } from '../to-facts.ts';

/** The conversation with the service, one attempt each, and what is kept of it across restarts. */
export type ServiceSession = ReturnType<typeof createServiceSession>;

export interface ServiceSessionParts
  extends Pick<Shared, 'client' | 'state' | 'facts' | 'directory' | 'onSetAside' | 'log' | 'now'>,
    Pick<LoadedConfig, 'credentials'> {
  readonly machine: Machine;
}

export function createServiceSession(parts: ServiceSessionParts) {
  const { client, state, facts, credentials, directory, machine, onSetAside, log, now } = parts;
  const files = createRegistrationFiles(directory, onSetAside);
  const store = files.networkJwt;
  let answeredForMs: number | undefined;
  /**
   * A ring that was not answered: production has a changed tunnel in its list of clients alone,
   * asked once for each.
   */
  const isRung = () =>
    state.path.rungForMs !== answeredForMs && isHandshakeOverdue(facts().tunnel, now());
  const dependencies = (networkJwt: Secret): RegistrationDependencies => {
    const { config } = state.configuration;
    const spec = config.device.spec ?? `tributary/${version} linux-${process.arch}`;
    return {
      client,
      files,
      networkJwt,
      desired: { description: chooseDescription(config), spec, proxy: config.proxy },
      needsTunnel: state.path.tunnelProblem?.code === 'wireguard-text-refused' || isRung(),
      onNotice: (notice) => log.warn({ notice }, 'notice from the service about the registration'),
    };
  };
  return {
    /**
     * From disk, to keep the tunnel until the service is asked; undefined: none. @throws
     * identity-moved, state-unreadable, state-unwritable
     */
    async load() {
      if ((await store.readOrSetAside())?.token === undefined) return undefined;
      await settleOn(machine, files);
      const { registration } = await loadDevice(files);
      return registration?.tunnel === undefined ? undefined : registration;
    },
    /**
     * The network JWT: stored, in use, given, or bought with the auth code. @throws identity-moved,
     * signed-out, auth-code-refused, codes of `call`
     */
    async signIn(signal: AbortSignal) {
      await settleOn(machine, files);
      const networkJwt = state.service.networkJwt ?? credentials.networkJwt;
      return resolveNetworkJwt({ client, store }, { ...credentials, networkJwt }, signal);
    },
    /** Load, recover or create. @throws codes of `ensureRegistration` */
    async register(networkJwt: Secret, signal: AbortSignal) {
      const registration = await ensureRegistration(dependencies(networkJwt), signal);
      await settleOn(machine, files);
      log.info({ clientId: registration.clientId }, 'registered');
      return registration;
    },
    /** The renewal. @throws codes of `renew` in identity */
    async renew(networkJwt: Secret, registration: Registration, signal: AbortSignal) {
      const { rungForMs } = state.path;
      const renewed = await renew(dependencies(networkJwt), registration, signal);
      answeredForMs = rungForMs;
      return renewed;
    },
    /** True where a second operation refuses the token too. @throws AbortError */
    confirmRefusal: (networkJwt: Secret, signal: AbortSignal) =>
      confirmRefusal(client, networkJwt, signal),
    /**
     * Drops a token that has been refused for so long (ms) that it will not be taken again; true
     * then. @throws state-unwritable
     */
    async dropIfUseless(networkJwt: Secret, refusedMs: number) {
      const isUseless = isRefusedForGood(networkJwt, refusedMs, now());
      if (isUseless) await forgetNetworkJwt(store, networkJwt);
      return isUseless;
    },
  };
}
