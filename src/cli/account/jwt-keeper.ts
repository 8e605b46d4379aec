import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { emptyNetworkJwtState, type NetworkJwtStore } from '../../identity/network-jwt-store.ts';
import { TributaryError } from '../../lib/errors.ts';
import type { Secret } from '../../lib/secret.ts';
import { ensureDirectory, isThere, writeFileAtomic } from '../../system/files.ts';

/** Where a new network JWT goes that cannot be had twice. */
export interface JwtKeeper {
  /** True where it becomes this device's sign-in. */
  readonly signsIn: boolean;
  /** A file (0600) of its own for it; undefined where none is asked for. */
  readonly file: string | undefined;
  /** Finds out now whether it can be written, before it is too late. @throws state-unwritable, usage-invalid */
  prepare(): Promise<void>;
  /** @throws state-unwritable */
  keep(token: Secret): Promise<void>;
  /** Leaves everything as it was. */
  giveUp(): Promise<void>;
}

interface KeeperOptions {
  readonly tokens: NetworkJwtStore;
  /** The token that the new one takes the place of. */
  readonly former: Secret;
  /** `--jwt-out`. */
  readonly file: string | undefined;
}

/** Signs in where that puts nobody else out. @throws usage-invalid where it does, and there is no file for the token */
export async function createJwtKeeper({ tokens, former, file }: KeeperOptions): Promise<JwtKeeper> {
  const state = (await tokens.readOrSetAside()) ?? emptyNetworkJwtState;
  const signsIn = state.token === undefined || state.token.equals(former);
  if (!signsIn && file === undefined) {
    const message = `this device is signed in with another token than the guest's: say with --jwt-out where the new one goes`;
    throw new TributaryError('usage-invalid', message);
  }
  return {
    signsIn,
    file,
    async prepare() {
      if (signsIn) {
        await ensureDirectory(dirname(tokens.path));
        await tokens.write(state);
      }
      if (file === undefined) return;
      if (await isThere(file)) throw new TributaryError('usage-invalid', `--jwt-out ${file}: it is there already`);
      await writeFileAtomic(file, '');
    },
    async keep(token) {
      if (file !== undefined) await writeFileAtomic(file, `${token.reveal()}\n`);
      if (signsIn) await tokens.write({ ...state, token });
    },
    async giveUp() {
      if (file !== undefined) await rm(file, { force: true });
    },
  };
}
