import { createReadStream } from 'node:fs';
import { SystemError } from './errors.ts';

/**
 * Text of at most `mostBytes`, also from a pipe or a device.
 * @throws the system's error; state-unreadable (larger, not UTF-8)
 */
export async function readSmallFile(path: string, mostBytes: number): Promise<string> {
  // One byte more than allowed is read, to notice a file that is too large.
  const bytes = Buffer.concat(
    await Array.fromAsync<Buffer>(createReadStream(path, { end: mostBytes })),
  );
  if (bytes.length > mostBytes)
    throw new SystemError('state-unreadable', `it is larger than ${mostBytes / 1024} KiB`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new SystemError('state-unreadable', 'it is not UTF-8 text', { cause: error });
  }
}
