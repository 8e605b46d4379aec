import { randomBytes } from 'node:crypto';
import { access, chmod, chown, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { messageOf, systemCodeOf, TributaryError } from '../lib/errors.ts';

/** Whose a file becomes: the process's that writes it, or that of the directory it lies in, where root writes it. */
type FileOwner = 'process' | 'directory';

/** Replaces a file in one step with mode 0600, and lasts through a power cut. @throws state-unwritable */
export function writeFileAtomic(path: string, text: string, owner: FileOwner = 'process'): Promise<void> {
  return replaceFile(path, async (temporary) => {
    await writeSynced(temporary, text);
    if (owner === 'directory') await handToOwner(temporary);
  });
}

/** Replaces a file's text in one step; whose it is and who may read it stay. A new one, in a new folder too, can be read by all. @throws state-unwritable */
export function replaceFileText(path: string, text: string): Promise<void> {
  return replaceFile(path, async (temporary) => {
    const before = await stat(path).catch(() => undefined);
    if (before === undefined) await mkdir(dirname(path), { recursive: true });
    await writeSynced(temporary, text);
    await chmod(temporary, (before?.mode ?? 0o644) & 0o777);
    if (before !== undefined) await chown(temporary, before.uid, before.gid);
  });
}

/**
 * Adds text to the end of a file, and lasts through a power cut. Makes the file (mode 0600) and its folder where there is
 * none. Resolves with the file's length in bytes. @throws state-unwritable
 */
export async function appendToFile(path: string, text: string): Promise<number> {
  const folder = dirname(path);
  try {
    const isNewFolder = await mkdir(folder, { mode: 0o700 }).then(() => true, acceptExisting);
    if (isNewFolder) await syncDirectory(dirname(folder));
    await using file = await open(path, 'a', 0o600);
    await file.appendFile(text);
    await file.datasync();
    const { size } = await file.stat();
    if (size === Buffer.byteLength(text)) await syncDirectory(folder);
    return size;
  } catch (error) {
    throw new TributaryError('state-unwritable', `writing ${path}: ${messageOf(error)}`, { cause: error });
  }
}

/** @throws state-unwritable */
export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true }).catch((error: unknown) => {
    throw new TributaryError('state-unwritable', `removing ${path}: ${messageOf(error)}`, { cause: error });
  });
}

/** The names in a folder; none where there is no such folder. @throws state-unreadable */
export async function listFolder(path: string): Promise<readonly string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if (isMissing(error)) return [];
    throw new TributaryError('state-unreadable', `reading ${path}: ${messageOf(error)}`, { cause: error });
  }
}

/** The file's text; undefined when there is no such file. @throws state-unreadable */
export async function readFileIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw new TributaryError('state-unreadable', `reading ${path}: ${messageOf(error)}`, { cause: error });
  }
}

/** True where the path leads to something that this process can see. */
export function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Makes a directory of mode 0700 where there is none. @throws state-unwritable */
export async function ensureDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new TributaryError('state-unwritable', `making the directory ${path}: ${messageOf(error)}`, { cause: error });
  }
}

function isMissing(error: unknown): boolean {
  return systemCodeOf(error) === 'ENOENT' || systemCodeOf(error) === 'ENOTDIR';
}

function acceptExisting(error: unknown): false {
  if (systemCodeOf(error) === 'EEXIST') return false;
  throw error;
}

/** What root's command writes stays readable for the agent, which is an ordinary user under systemd. */
async function handToOwner(path: string): Promise<void> {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = await stat(dirname(path));
  // An owner whom this user namespace does not know cannot be given anything.
  if (uid !== 0) await chown(path, uid, gid).catch(() => undefined);
}

async function replaceFile(path: string, write: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(4).toString('hex')}`);
  try {
    await write(temporary);
    await rename(temporary, path);
    await syncDirectory(dirname(path));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw new TributaryError('state-unwritable', `writing ${path}: ${messageOf(error)}`, { cause: error });
  }
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
