import { open } from 'node:fs/promises';
import { TributaryError } from '../lib/errors.ts';

/** Text of at most `mostBytes`, of pipes and devices too. @throws the system's error; state-unreadable (larger, not UTF-8) */
export async function readSmallFile(path: string, mostBytes: number): Promise<string> {
  await using file = await open(path, 'r');
  const buffer = Buffer.alloc(mostBytes + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  if (length > mostBytes) throw new TributaryError('state-unreadable', `it is larger than ${mostBytes / 1024} KiB`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(buffer.subarray(0, length));
  } catch (error) {
    throw new TributaryError('state-unreadable', 'it is not UTF-8 text', { cause: error });
  }
}
