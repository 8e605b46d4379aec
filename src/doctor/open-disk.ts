import { access, constants, open, readdir, readFile, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCodeOf } from '../lib/errors.ts';
import { isThere } from '../system/files.ts';
import type { Holding, HostDisk } from './host.ts';

/** The real disk. */
export function openDisk(): HostDisk {
  return {
    read: (path) => readFile(path, 'utf8').catch(() => undefined),
    isThere,
    tryOpen: (path) => findErrorCode(open(path, 'r+').then((file) => file.close())),
    tryWriting: (folder) => findErrorCode(access(folder, constants.W_OK | constants.X_OK)),
    async space(path) {
      const { bavail, bsize, files, ffree } = await statfs(path);
      return { freeBytes: bavail * bsize, files, freeFiles: ffree };
    },
    async holdings(folder) {
      if (!(await isThere(folder))) return [];
      const names = await readdir(folder);
      return Promise.all([folder, ...names.map((name) => join(folder, name))].map(readHolding));
    },
  };
}

async function readHolding(path: string): Promise<Holding> {
  const { uid, mode } = await stat(path);
  return { path, ownerId: uid, mode: mode & 0o777 };
}

function findErrorCode(trial: Promise<unknown>): Promise<string | undefined> {
  return trial.then(
    () => undefined,
    (error: unknown) => systemCodeOf(error) ?? 'unknown',
  );
}
