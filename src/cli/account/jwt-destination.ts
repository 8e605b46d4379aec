import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { emptyNetworkJwtState, type NetworkJwtStore } from '../../identity/network-jwt-store.ts';
import type { Secret } from '../../lib/secret.ts';
import { ensureDirectory, isThere, writeFileAtomic } from '../../system/files.ts';
import { refuse } from '../refuse.ts';

/** Where a new network JWT goes that the service issues only once. */
export interface JwtDestination {
  /** True where it becomes this device's sign-in. */
  readonly signsIn: boolean;
  /** Finds out whether it can be written, before it is too late. @throws state-unwritable, usage-invalid */
  prepare(): Promise<void>;
  /** @throws state-unwritable */
  store(token: Secret): Promise<void>;
  /** Leaves everything as it was. */
  giveUp(): Promise<void>;
}

interface DestinationOptions {
  readonly tokens: NetworkJwtStore;
  /** The token that the new one replaces. */
  readonly former: Secret;
  /** `--jwt-out`: a file (0600) for it. */
  readonly file: string | undefined;
}

/** Signs in where this device is signed in as the guest, or not at all. @throws usage-invalid where it is not, and no file is named */
export async function chooseJwtDestination({ tokens, former, file }: DestinationOptions): Promise<JwtDestination> {
  const state = (await tokens.read()) ?? emptyNetworkJwtState;
  const signsIn = state.token === undefined || state.token.equals(former);
  if (!signsIn && file === undefined) {
    const message = `this device is signed in with another token than the guest's: say with --jwt-out where the new one goes`;
    throw refuse(message);
  }
  return {
    signsIn,
    async prepare() {
      if (signsIn) {
        await ensureDirectory(dirname(tokens.path));
        await tokens.write(state);
      }
      if (file === undefined) return;
      if (await isThere(file)) throw refuse(`--jwt-out ${file}: it is there already`);
      await writeFileAtomic(file, '');
    },
    async store(token) {
      if (file !== undefined) await writeFileAtomic(file, `${token.reveal()}\n`);
      if (signsIn) await tokens.write({ ...state, token });
    },
    async giveUp() {
      if (file !== undefined) await rm(file, { force: true });
    },
  };
}
