import { open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf, systemCodeOf, TributaryError } from '../../../errors/codes.ts';
import {
  emptyNetworkJwtState,
  type NetworkJwtStore,
} from '../../../identity/registration-files.ts';
import { withOwnersToken } from '../../../identity/sign-in.ts';
import type { Secret } from '../../../lib/secret.ts';
import { ensureDirectory } from '../../../system/files.ts';
import { refuse } from '../../frame/command.ts';

/**
 * Where to put a new network JWT, which is issued only once: into `file` (mode 0600, `--jwt-out`),
 * and into the device's sign-in if that holds `former`, the guest's token that the new one
 * replaces.
 * @throws usage-invalid where it would be put nowhere
 */
export async function chooseJwtDestination(
  tokens: NetworkJwtStore,
  former: Secret,
  file: string | undefined,
) {
  const state = (await tokens.readOrSetAside()) ?? emptyNetworkJwtState;
  const signsIn = state.token === undefined || state.token.equals(former);
  if (!signsIn && file === undefined) {
    throw refuse(
      "this device is signed in with another token than the guest's: say with --jwt-out where the new one goes",
    );
  }
  return {
    signsIn,
    /**
     * Finds out whether the token can be written before the service issues it. If it is not stored
     * in the end, no file is left.
     * @throws state-unwritable, usage-invalid
     */
    async prepare() {
      if (signsIn) {
        await ensureDirectory(dirname(tokens.path));
        await tokens.write(state);
      }
      // The file is held open until the token comes, because in another user's folder its name may
      // lead elsewhere by then.
      const opened =
        file === undefined ? undefined : await open(file, 'wx', 0o600).catch(failToWrite);
      let isStored = false;
      return {
        async store(token: Secret) {
          isStored = true;
          await opened?.writeFile(`${token.reveal()}\n`).catch(failToWrite);
          await opened?.sync().catch(failToWrite);
          if (signsIn) await tokens.write(withOwnersToken(state, token));
        },
        async [Symbol.asyncDispose]() {
          await opened?.close();
          if (file !== undefined && !isStored) await rm(file, { force: true });
        },
      };
    },
  };

  function failToWrite(error: unknown): never {
    if (systemCodeOf(error) === 'EEXIST') throw refuse(`--jwt-out ${file}: it already exists`);
    throw new TributaryError('state-unwritable', `writing the new token: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
