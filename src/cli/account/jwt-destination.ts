import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { emptyNetworkJwtState, type NetworkJwtStore } from '../../identity/network-jwt-store.ts';
import type { Secret } from '../../lib/secret.ts';
import { ensureDirectory, isThere, writeFileAtomic } from '../../system/files.ts';
import { refuse } from '../refuse.ts';

interface DestinationOptions {
  readonly tokens: NetworkJwtStore;
  /** The token that the new one replaces. */
  readonly former: Secret;
  /** `--jwt-out`: a file (0600) for it. */
  readonly file: string | undefined;
}

/**
 * Where a new network JWT goes that the service issues only once: it becomes the sign-in of a device that is signed in as the
 * guest, or not at all. @throws usage-invalid where it would not, and no file is named
 */
export async function chooseJwtDestination({ tokens, former, file }: DestinationOptions) {
  const state = (await tokens.readOrSetAside()) ?? emptyNetworkJwtState;
  const signsIn = state.token === undefined || state.token.equals(former);
  if (!signsIn && file === undefined) {
    throw refuse(
      "this device is signed in with another token than the guest's: say with --jwt-out where the new one goes",
    );
  }
  return {
    signsIn,
    /** Finds out whether it can be written, before it is too late; what was not stored leaves no file. @throws state-unwritable, usage-invalid */
    async prepare() {
      if (signsIn) {
        await ensureDirectory(dirname(tokens.path));
        await tokens.write(state);
      }
      if (file !== undefined && (await isThere(file))) throw refuse(`--jwt-out ${file}: it is there already`);
      if (file !== undefined) await writeFileAtomic(file, '');
      let isStored = false;
      return {
        /** @throws state-unwritable */
        async store(token: Secret) {
          isStored = true;
          if (file !== undefined) await writeFileAtomic(file, `${token.reveal()}\n`);
          if (signsIn) await tokens.write({ ...state, token });
        },
        async [Symbol.asyncDispose]() {
          if (file !== undefined && !isStored) await rm(file, { force: true });
        },
      };
    },
  };
}
