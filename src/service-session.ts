import { type Board, toDescription } from './board.ts';
import type { Credentials } from './config/credentials.ts';
import type { DesiredDevice, RegistrationDependencies } from './identity/authenticate.ts';
import { createNetworkJwtStore, forgetNetworkJwt } from './identity/network-jwt-store.ts';
import { ensureRegistration } from './identity/registration.ts';
import { createRegistrationFiles } from './identity/registration-files.ts';
import { renewRegistration } from './identity/renew.ts';
import { resolveNetworkJwt } from './identity/sign-in.ts';
import { confirmSignedOut } from './identity/signed-out.ts';
import type { Secret } from './lib/secret.ts';
import type { ServiceSession } from './loops/service-loop.ts';
import type { Logger } from './report/logger.ts';
import type { ServiceClient } from './service/client.ts';
import type { ProvideMode } from './service/profiles.ts';
import type { OnSetAside } from './system/state-file.ts';
import { version } from './version.ts';

export interface ServiceSessionParts {
  readonly client: ServiceClient;
  readonly board: Board;
  readonly credentials: Credentials;
  readonly stateDirectory: string;
  readonly onSetAside: OnSetAside;
  readonly log: Logger;
}

/** The agent's conversation with its service, on the files of the state directory. */
export function createServiceSession(
  parts: ServiceSessionParts,
): ServiceSession & { readonly rememberConfirmed: (mode: ProvideMode) => Promise<void> } {
  const { client, board, credentials, stateDirectory, onSetAside, log } = parts;
  const store = createNetworkJwtStore(stateDirectory, onSetAside);
  const files = createRegistrationFiles(stateDirectory, onSetAside);
  const dependencies = (networkJwt: Secret): RegistrationDependencies => ({
    client,
    files,
    networkJwt,
    onNotice: (notice) => log.warn({ notice }, 'the service said something about the registration'),
  });
  return {
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
