import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Where the agent of a socket answers questions, and takes no orders: beside it, for the group of
 * their folder.
 */
export function toReadersPath(socketPath: string): string {
  return `${socketPath}.read`;
}

/**
 * True where the folder of the socket lets its group in, so that a member can reach a file. It is
 * looked at in each pass, so by no other thread, which would wake the process once more.
 */
export function hasReaders(socketPath: string): boolean {
  try {
    return (lstatSync(dirname(socketPath)).mode & 0o010) !== 0;
  } catch {
    return false;
  }
}
