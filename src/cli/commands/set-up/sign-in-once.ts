import { join } from 'node:path';
import type { LoadedConfig } from '../../../config/load.ts';
import { startNewDevice } from '../../../identity/load.ts';
import { createRegistrationFiles } from '../../../identity/registration-files.ts';
import { keepSignIn, signIn } from '../../../identity/sign-in.ts';
import type { Secret } from '../../../lib/secret.ts';
import { createServiceClient, type ServiceClient } from '../../../service/client.ts';
import { ensureDirectory } from '../../../system/files.ts';
import { acquireLock } from '../../../system/lock.ts';
import { sayOnSetAside } from '../../../system/state-file.ts';
import type { Output } from '../../frame/context.ts';
import { personWaits } from '../../frame/patience.ts';

type SignInOptions = Readonly<{ isNewDevice: boolean; notes: Output }>;

/**
 * Trades an auth code for a token, or obtains it as is said, and keeps and returns it.
 * @throws auth-code-refused, state-unwritable, already-running, codes of `call`
 */
export async function signInOnce(
  loaded: LoadedConfig,
  by: Secret | ((client: ServiceClient) => Promise<Secret>),
  { isNewDevice, notes }: SignInOptions,
) {
  await ensureDirectory(loaded.stateDirectory);
  // A new device gives up its registration. Only the owner may decide that, and not while an agent
  // runs.
  await using _lock = isNewDevice
    ? await acquireLock(join(loaded.stateDirectory, 'agent.lock'))
    : undefined;
  const files = createRegistrationFiles(loaded.stateDirectory, sayOnSetAside(notes));
  await using client = createServiceClient({ ...loaded.service, ...personWaits });
  const store = files.networkJwt;
  const token =
    typeof by === 'function'
      ? await keepSignIn(store, () => by(client))
      : await signIn({ client, store }, by, new AbortController().signal);
  if (isNewDevice) await startNewDevice(files);
  return token;
}
