import { join } from 'node:path';
import type { LoadedConfig } from '../../../config/load.ts';
import { startNewDevice } from '../../../identity/load.ts';
import { createRegistrationFiles } from '../../../identity/registration-files.ts';
import { signIn } from '../../../identity/sign-in.ts';
import type { Secret } from '../../../lib/secret.ts';
import { createServiceClient } from '../../../service/client.ts';
import { ensureDirectory } from '../../../system/files.ts';
import { acquireLock } from '../../../system/lock.ts';
import { sayOnSetAside } from '../../../system/state-file.ts';
import type { Output } from '../../frame/context.ts';

type SignInOptions = Readonly<{ isNewDevice: boolean; notes: Output }>;

/**
 * Trades the code for a token, which it returns.
 * @throws auth-code-refused, state-unwritable, already-running, codes of `call`
 */
export async function signInOnce(
  loaded: LoadedConfig,
  authCode: Secret,
  { isNewDevice, notes }: SignInOptions,
) {
  await ensureDirectory(loaded.stateDirectory);
  // A new device gives up its registration. Only the owner may decide that, and not while an agent
  // runs.
  await using _lock = isNewDevice
    ? await acquireLock(join(loaded.stateDirectory, 'agent.lock'))
    : undefined;
  const files = createRegistrationFiles(loaded.stateDirectory, sayOnSetAside(notes));
  await using client = createServiceClient(loaded.service);
  const token = await signIn(
    { client, store: files.networkJwt },
    authCode,
    new AbortController().signal,
  );
  if (isNewDevice) await startNewDevice(files);
  return token;
}
