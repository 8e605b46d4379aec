import { stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/**
 * Whether a program could not be started because it is not installed. `code` is what the system
 * said: `EACCES` where a folder of PATH is closed to this user, also if no other folder has the
 * program.
 */
export async function isMissing(program: string, code: string | undefined): Promise<boolean> {
  if (code !== 'EACCES') return code === 'ENOENT';
  return (await listProgramFiles(program)).length === 0;
}

/** The files that a program's name may stand for, in the order in which the system tries them. */
export async function listProgramFiles(
  program: string,
  path = process.env.PATH ?? '',
): Promise<readonly string[]> {
  const folders = program.includes('/') ? [''] : path.split(delimiter);
  const files = folders.map((folder) => join(folder, program));
  const found = await Promise.allSettled(files.map((file) => stat(file)));
  return files.filter((_, index) => {
    const one = found[index];
    return one?.status === 'fulfilled' && one.value.isFile();
  });
}
