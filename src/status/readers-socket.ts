import { basename, dirname } from 'node:path';
import { openFolder } from '../system/folder.ts';

/**
 * Where the agent of a socket answers questions, and takes no orders: beside it, for the group of
 * their folder.
 */
export function toReadersPath(socketPath: string): string {
  return `${socketPath}.read`;
}

/** True where the folder of the socket lets its group in, so that a member can reach a file. */
export async function hasReaders(socketPath: string): Promise<boolean> {
  const path = dirname(socketPath);
  try {
    await using above = await openFolder(dirname(path));
    return ((await above.look(basename(path))).mode & 0o010) !== 0;
  } catch {
    return false;
  }
}
