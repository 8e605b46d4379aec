import { stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/**
 * Whether a program could not be started because it is not installed. `code` is what the system
 * said: `EACCES` where a folder of PATH is closed to this user, also if no other folder has the
 * program.
 */
export async function isMissing(program: string, code: string | undefined): Promise<boolean> {
  if (code !== 'EACCES') return code === 'ENOENT';
  const folders = program.includes('/') ? [''] : (process.env.PATH ?? '').split(delimiter);
  const found = await Promise.allSettled(folders.map((folder) => stat(join(folder, program))));
  return !found.some((one) => one.status === 'fulfilled' && one.value.isFile());
}
