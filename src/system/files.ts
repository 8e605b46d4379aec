import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, type FileHandle, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { messageOf, systemCodeOf, TributaryError } from '../lib/errors.ts';
import { openFolder } from './folder.ts';
import type { User } from './user.ts';

/**
 * Replaces a file in one step with mode 0600, and lasts through a power cut. What root writes in another user's folder is
 * that user's: the agent, an ordinary user under systemd, reads what `sudo tributary login` wrote. @throws state-unwritable
 */
export function writeFileAtomic(path: string, text: string): Promise<void> {
  return replaceFile(path, text, async () => undefined);
}

/** Replaces a file's text in one step; whose it is and who may read it stay. A new one, in a new folder too, can be read by all. @throws state-unwritable */
export async function replaceFileText(path: string, text: string): Promise<void> {
  const before = await stat(path).catch(() => undefined);
  if (before === undefined) await makeFolders(dirname(path), 0o755);
  await replaceFile(path, text, async (file, owner) => {
    if (before !== undefined && owner === undefined) await file.chown(before.uid, before.gid);
    await file.chmod((before?.mode ?? 0o644) & 0o777);
  });
}

/**
 * Adds text to the end of a file, and lasts through a power cut. Makes the file (mode 0600) and its folder where there is
 * none. Resolves with the file's length in bytes. @throws state-unwritable
 */
export async function appendToFile(path: string, text: string): Promise<number> {
  const { O_APPEND, O_CREAT, O_WRONLY } = constants;
  try {
    if (!(await isThere(dirname(path)))) await makeFolder(dirname(path), 0o700);
    await using folder = await openFolder(dirname(path));
    await using file = await folder.open(basename(path), O_APPEND | O_CREAT | O_WRONLY);
    await file.appendFile(text);
    await file.datasync();
    const { size } = await file.stat();
    if (size === Buffer.byteLength(text)) await folder.sync();
    return size;
  } catch (error) {
    throw new TributaryError('state-unwritable', `writing ${path}: ${messageOf(error)}`, { cause: error });
  }
}

/** Gives a file another name in its folder. @throws state-unwritable */
export async function renameFile(path: string, name: string): Promise<void> {
  try {
    await using folder = await openFolder(dirname(path));
    await folder.rename(basename(path), name);
  } catch (error) {
    throw new TributaryError('state-unwritable', `renaming ${path}: ${messageOf(error)}`, { cause: error });
  }
}

/** @throws state-unwritable */
export async function removeFile(path: string): Promise<void> {
  try {
    await using folder = await openFolder(dirname(path));
    await folder.remove(basename(path));
  } catch (error) {
    if (isMissing(error)) return;
    throw new TributaryError('state-unwritable', `removing ${path}: ${messageOf(error)}`, { cause: error });
  }
}

/** The names in a folder; none where there is no such folder. @throws state-unreadable */
export async function listFolder(path: string): Promise<readonly string[]> {
  try {
    await using folder = await openFolder(path);
    return await folder.names();
  } catch (error) {
    if (isMissing(error)) return [];
    throw new TributaryError('state-unreadable', `reading ${path}: ${messageOf(error)}`, { cause: error });
  }
}

/** The file's text; undefined when there is no such file. No link is followed. @throws state-unreadable */
export async function readOwnFile(path: string): Promise<string | undefined> {
  return readIfThere(path, async () => {
    await using folder = await openFolder(dirname(path));
    await using file = await folder.open(basename(path), constants.O_RDONLY);
    return await file.readFile('utf8');
  });
}

/** The same of a file that may be a link, as far as the owner of its folder may follow it. @throws state-unreadable */
export async function readLinkedFile(path: string): Promise<string | undefined> {
  return readIfThere(path, async () => {
    await using folder = await openFolder(dirname(path));
    return await folder.readLinked(basename(path));
  });
}

/** The same of a file of the system's, or of a caller's. @throws state-unreadable */
export function readFileIfThere(path: string): Promise<string | undefined> {
  return readIfThere(path, () => readFile(path, 'utf8'));
}

async function readIfThere(path: string, read: () => Promise<string>): Promise<string | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw new TributaryError('state-unreadable', `reading ${path}: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * A folder for a file that another program reads by its name: this one, or where it is another user's one that only root
 * can change, which goes with what is in it. @throws state-unwritable
 */
export async function openPrivatePlace(directory: string): Promise<{ readonly path: string } & AsyncDisposable> {
  if (await isOwnFolder(directory)) return { path: directory, [Symbol.asyncDispose]: async () => undefined };
  try {
    const path = await mkdtemp('/run/tributary-');
    return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
  } catch (error) {
    throw new TributaryError('state-unwritable', `making a folder in /run: ${messageOf(error)}`, { cause: error });
  }
}

/** True where the folder is there, and root need not become another user to work in it. */
export async function isOwnFolder(path: string): Promise<boolean> {
  try {
    await using folder = await openFolder(path);
    return folder.owner === undefined;
  } catch {
    return false;
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
    await makeFolders(path, 0o700);
  } catch (error) {
    throw new TributaryError('state-unwritable', `making the directory ${path}: ${messageOf(error)}`, { cause: error });
  }
}

/** The same for a folder in which programs open files by name, which root does in no other user's. @throws state-unwritable */
export async function ensureOwnDirectory(path: string): Promise<void> {
  await ensureDirectory(path);
  if (await isOwnFolder(path)) return;
  throw new TributaryError('state-unwritable', `${path} belongs to another user: work as that user, or name another`);
}

/** With those above it. */
async function makeFolders(path: string, mode: number): Promise<void> {
  if (await isThere(path)) return;
  await makeFolders(dirname(path), mode);
  await makeFolder(path, mode);
}

async function makeFolder(path: string, mode: number): Promise<void> {
  await using above = await openFolder(dirname(path));
  await above.makeFolder(basename(path), mode).catch((error: unknown) => {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
  });
  await above.sync();
}

function isMissing(error: unknown): boolean {
  return systemCodeOf(error) === 'ENOENT' || systemCodeOf(error) === 'ENOTDIR';
}

type Finish = (file: FileHandle, owner: User | undefined) => Promise<void>;

/** `finish` sets owner and mode before the file has its name, on what is open: a name may be another file's by then. */
async function replaceFile(path: string, text: string, finish: Finish): Promise<void> {
  const { O_CREAT, O_EXCL, O_WRONLY } = constants;
  const temporary = `.${basename(path)}.${randomBytes(4).toString('hex')}`;
  try {
    await using folder = await openFolder(dirname(path));
    try {
      await using file = await folder.open(temporary, O_CREAT | O_EXCL | O_WRONLY);
      await file.writeFile(text);
      // Where root cannot become the folder's owner; one whom this user namespace does not know cannot be given anything.
      if (folder.owner !== undefined) await file.chown(folder.owner.uid, folder.owner.gid).catch(() => undefined);
      await finish(file, folder.owner);
      await file.sync();
      await folder.rename(temporary, basename(path));
      await folder.sync();
    } catch (error) {
      await folder.remove(temporary).catch(() => undefined);
      throw error;
    }
  } catch (error) {
    throw new TributaryError('state-unwritable', `writing ${path}: ${messageOf(error)}`, { cause: error });
  }
}
