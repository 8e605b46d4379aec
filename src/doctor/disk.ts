import { access, constants, lstat, open, readdir, readFile, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCodeOf } from '../lib/errors.ts';
import { isThere } from '../system/files.ts';
import type { Disk } from './host.ts';

export function openDisk(): Disk {
  return {
    read: (path: string) => readFile(path, 'utf8').catch(() => undefined),
    isThere,
    tryOpen: (path: string) => findErrorCode(open(path, 'r+').then((file) => file.close())),
    tryWriting: (folder: string) => findErrorCode(access(folder, constants.W_OK | constants.X_OK)),
    async space(path: string) {
      const { bavail, bsize, files, ffree } = await statfs(path);
      return { freeBytes: bavail * bsize, files, freeFiles: ffree };
    },
    async holdings(folder: string) {
      const paths = [folder, ...(await readdir(folder)).map((name) => join(folder, name))];
      return Promise.all(
        paths.map(async (path) => {
          const found = await (path === folder ? stat : lstat)(path);
          const isDoubled = found.isFile() && found.nlink > 1;
          return { path, ownerId: found.uid, mode: found.mode & 0o777, isDoubled };
        }),
      );
    },
  };
}

function findErrorCode(trial: Promise<unknown>): Promise<string | undefined> {
  return trial.then(
    () => undefined,
    (error: unknown) => systemCodeOf(error) ?? 'unknown',
  );
}
