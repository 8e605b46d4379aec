import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rethrow } from './errors.ts';

/** Folders that are in memory. Where neither takes a file, the folder for temporary files does. */
const folders = ['/dev/shm', '/run'];

/**
 * A file without a name that holds this text, to be read from its beginning: no other program can
 * open it, no slow disk has to take it, and nothing is left of it after kill -9.
 * @throws command-failed
 */
export async function openMemoryFile(text: string): Promise<FileHandle> {
  for (const folder of folders) {
    const file = await openIn(folder, text).catch(() => undefined);
    if (file !== undefined) return file;
  }
  return await openIn(tmpdir(), text).catch(rethrow('command-failed', 'making a file in memory'));
}

async function openIn(folder: string, text: string): Promise<FileHandle> {
  const { O_CREAT, O_EXCL, O_RDWR } = constants;
  const path = join(folder, `tributary-${randomBytes(8).toString('hex')}`);
  const file = await open(path, O_CREAT | O_EXCL | O_RDWR, 0o600);
  try {
    await unlink(path);
    // At a position of its own, so that who inherits the file reads it from the beginning.
    await file.write(text, 0);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
