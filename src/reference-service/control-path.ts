import { join } from 'node:path';

/** What Linux allows for the path of a socket, less the closing zero. */
const longestBytes = 107;

/**
 * The socket for the administrator's commands on the data directory, while a service runs on it; undefined where there
 * can be none, because its path would be too long.
 */
export function findControlPath(directory: string): string | undefined {
  const path = join(directory, 'control.sock');
  return Buffer.byteLength(path) > longestBytes ? undefined : path;
}
