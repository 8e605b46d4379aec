import { join } from 'node:path';

/** What Linux allows for the path of a socket, less the closing zero. */
const longestBytes = 107;

/** The socket of a running service for its administrator's commands; undefined where its path would be too long. */
export function findControlPath(directory: string): string | undefined {
  const path = join(directory, 'control.sock');
  return Buffer.byteLength(path) > longestBytes ? undefined : path;
}
