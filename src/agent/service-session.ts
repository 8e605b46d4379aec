import type { Credentials } from '../config/credentials.ts';
import type { DesiredDevice, RegistrationDependencies } from '../identity/authenticate.ts';
import { toKeepaliveSeconds } from '../identity/keepalive.ts';
import { loadDevice } from '../identity/load.ts';
import { createNetworkJwtStore, forgetNetworkJwt } from '../identity/network-jwt-store.ts';
import { ensureRegistration } from '../identity/registration.ts';
import { createRegistrationFiles } from '../identity/registration-files.ts';
import { renewRegistration } from '../identity/renew.ts';
import { resolveNetworkJwt } from '../identity/sign-in.ts';
import { confirmSignedOut } from '../identity/signed-out.ts';
import type { Secret } from '../lib/secret.ts';
import type { Logger } from '../report/logger.ts';
import type { ServiceClient } from '../service/client.ts';
import type { ProvideMode } from '../service/profiles.ts';
import type { OnSetAside } from '../system/state-file.ts';
import { version } from '../version.ts';
import type { ServiceSession } from './loops/service-loop.ts';
import { type Board, toDescription } from './state.ts';

export interface ServiceSessionParts {
  readonly client: ServiceClient;
  readonly board: Board;
  readonly credentials: Credentials;
  readonly stateDirectory: string;
  readonly onSetAside: OnSetAside;
  readonly log: Logger;
}

/** The conversation, and what is kept of it across restarts. */
export interface KeptSession extends ServiceSession {
  /**
   * Puts what an earlier run registered on the board, from the disk alone, so that its tunnel is not taken down before the
   * service was asked. Nothing where nobody is signed in. @throws state-unreadable, state-unwritable
   */
  readonly restore: () => Promise<void>;
  /** @throws state-unwritable */
  readonly rememberConfirmed: (mode: ProvideMode) => Promise<void>;
}

/** The agent's conversation with its service, on the files of the state directory. */
export function createServiceSession(parts: ServiceSessionParts): KeptSession {
  const { client, board, credentials, stateDirectory, onSetAside, log } = parts;
  const store = createNetworkJwtStore(stateDirectory, onSetAside);
  const files = createRegistrationFiles(stateDirectory, onSetAside);
  const dependencies = (networkJwt: Secret): RegistrationDependencies => ({
    client,
    files,
    networkJwt,
    needsTunnel: board.problem('tunnel')?.code === 'wireguard-text-refused',
    onNotice: (notice) => log.warn({ notice }, 'notice from the service about the registration'),
  });
  return {
    async restore() {
      if ((await store.read())?.token === undefined) return;
      const { registration } = await loadDevice(files);
      if (registration?.tunnel === undefined) return;
      board.registration = registration;
      board.confirmedMode = registration.confirmedMode;
      const { keepalive_seconds_default: defaultSeconds } = board.config.tunnel;
      board.keepaliveSeconds = toKeepaliveSeconds(registration.keepaliveSeconds, defaultSeconds);
    },
    signIn: (signal) => resolveNetworkJwt({ client, store }, credentials, signal),
    async register(token, signal) {
      const registration = await ensureRegistration(dependencies(token), toDevice(board), signal);
      board.confirmedMode = registration.confirmedMode;
      log.info({ clientId: registration.clientId }, 'registered');
      return registration;
    },
    renew: (token, registration, signal) =>
      renewRegistration(dependencies(token), registration, toDevice(board), signal),
    async confirmSignedOut(token, signal) {
      const isSignedOut = await confirmSignedOut(client, token, signal);
      if (isSignedOut) await forgetNetworkJwt(store, token);
      return isSignedOut;
    },
    async rememberConfirmed(mode) {
      if (board.registration === undefined) return;
      board.registration = { ...board.registration, confirmedMode: mode };
      await files.registration.write(board.registration);
    },
  };
}

function toDevice({ config }: Board): DesiredDevice {
  return {
    description: toDescription(config),
    spec: config.device.spec ?? `tributary/${version} linux-${process.arch}`,
    proxy: config.proxy,
  };
}
