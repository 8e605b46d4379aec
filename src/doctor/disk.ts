import { access, constants, lstat, open, readdir, readFile, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCodeOf } from '../lib/errors.ts';
import { isThere } from '../system/files.ts';

export function openDisk() {
  return {
    /** undefined: it does not exist, or it may not be read. */
    read: (path: string) => readFile(path, 'utf8').catch(() => undefined),
    isThere,
    /** The system's error code of opening it for reading and writing; undefined: it opens. */
    tryOpen: (path: string) => findErrorCode(open(path, 'r+').then((file) => file.close())),
    /** The system's error code of what would be in the way of writing there; undefined: nothing. */
    tryWriting: (folder: string) => findErrorCode(access(folder, constants.W_OK | constants.X_OK)),
    /** Room on the file system that holds a path. Some count no files: then `files` is 0. */
    async space(path: string) {
      const { bavail, bsize, files, ffree } = await statfs(path);
      return { freeBytes: bavail * bsize, files, freeFiles: ffree };
    },
    /** The folder first, then what it holds. @throws the system's error */
    async holdings(folder: string) {
      const paths = [folder, ...(await readdir(folder)).map((name) => join(folder, name))];
      return Promise.all(
        paths.map(async (path) => {
          const found = await (path === folder ? stat : lstat)(path);
          // The rights alone, without the kind; doubled is a file that has another name somewhere.
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
