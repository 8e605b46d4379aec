import { type FileHandle, open, rename } from 'node:fs/promises';
import { messageOf, systemCodeOf, TributaryError } from '../lib/errors.ts';
import { writeFileAtomic } from './files.ts';
import type { OnSetAside } from './state-file.ts';

/** A file of fixed size whose parts are written in place. Its owner makes sense of a part that was written halfway. */
export interface PlaceFile {
  /** Zeros where there is no file, or nothing was written. @throws state-unreadable */
  read(start: number, end: number): Promise<Buffer>;
  /** Resolves when it is on the disk. Makes the file where there is none. @throws state-unwritable */
  write(start: number, bytes: Buffer): Promise<void>;
}

export interface PlaceFileOptions {
  readonly path: string;
  /** What the file begins with, in ASCII; one that begins otherwise is set aside before it is written to. */
  readonly header: string;
  readonly onSetAside: OnSetAside;
}

/** Opened for each reading and writing: they are hours apart, and a file that was removed meanwhile is made again. */
export function createPlaceFile({ path, header, onSetAside }: PlaceFileOptions): PlaceFile {
  const openForWriting = async () => {
    const file = await open(path, 'r+').catch(takeMissing);
    if (file !== undefined) {
      if ((await readAll(file, 0, header.length)).toString() === header) return file;
      await file.close();
      const keptAs = `${path}.broken-${new Date().toISOString().replace(/[:.]/g, '-')}`;
      await rename(path, keptAs);
      onSetAside(path, keptAs, 'it does not begin as it should');
    }
    await writeFileAtomic(path, header);
    return open(path, 'r+');
  };
  return {
    async read(start, end) {
      try {
        const file = await open(path, 'r').catch(takeMissing);
        if (file === undefined) return Buffer.alloc(end - start);
        await using own = file;
        if ((await readAll(own, 0, header.length)).toString() !== header) return Buffer.alloc(end - start);
        return await readAll(own, start, end);
      } catch (error) {
        throw new TributaryError('state-unreadable', `reading ${path}: ${messageOf(error)}`, { cause: error });
      }
    },
    async write(start, bytes) {
      try {
        await using file = await openForWriting();
        const { bytesWritten } = await file.write(bytes, 0, bytes.length, start);
        if (bytesWritten < bytes.length) throw new Error('there is no room for all of it');
        await file.datasync();
      } catch (error) {
        throw new TributaryError('state-unwritable', `writing ${path}: ${messageOf(error)}`, { cause: error });
      }
    },
  };
}

/** Zeros beyond its end. */
async function readAll(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.alloc(end - start);
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes;
}

function takeMissing(error: unknown): undefined {
  if (systemCodeOf(error) === 'ENOENT' || systemCodeOf(error) === 'ENOTDIR') return undefined;
  throw error;
}
