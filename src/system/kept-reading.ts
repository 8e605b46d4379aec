import { lstat } from 'node:fs/promises';

/**
 * A kernel tells the time of a change only as exactly as its clock ticks, and FAT to two seconds. A
 * file that was read for the first time so long (ms) ago can no longer change at the time which it
 * had then.
 */
const settledAfterMs = 3_000;

/** Of which state of a file was read. */
interface Reading<T> {
  readonly mark: string;
  /** When a file with this mark was read first. */
  readonly sinceMs: number;
  /** undefined until the file is settled: what is read once takes no memory. */
  readonly kept: { readonly value: T } | undefined;
}

/**
 * `read`, but what it found in the file is kept until the file is another one or was changed. So a
 * file that is asked for at each turn costs one look. What is no file, or cannot be read, is read
 * each time. All who ask get the same value, and must not change it. `nowMs` is a
 * clock that never goes back.
 */
export function keepReading<T>(
  path: string,
  read: () => Promise<T>,
  nowMs: () => number = () => performance.now(),
): () => Promise<T> {
  let last: Reading<T> | undefined;
  return async () => {
    const atMs = nowMs();
    const mark = await findMark(path);
    const known = mark !== undefined && last?.mark === mark ? last : undefined;
    if (known?.kept !== undefined) return known.kept.value;
    last = undefined;
    const value = await read();
    if (mark === undefined) return value;
    const sinceMs = known?.sinceMs ?? atMs;
    last = { mark, sinceMs, kept: atMs - sinceMs >= settledAfterMs ? { value } : undefined };
    return value;
  };
}

/** What changes with every change of the file; undefined where the path leads to no file. */
async function findMark(path: string): Promise<string | undefined> {
  const found = await lstat(path, { bigint: true }).catch(() => undefined);
  if (found?.isFile() !== true) return undefined;
  const { dev, ino, size, mtimeNs, ctimeNs } = found;
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}
