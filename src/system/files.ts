import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, type FileHandle, lstat, readFile, readlink, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { messageOf, systemCodeOf } from '../lib/errors.ts';
import { rethrow, SystemError } from './errors.ts';
import { type Folder, openFolder, type User } from './folder.ts';

/**
 * Replaces a file in one step with mode 0600; it survives a power cut. A file that root writes in
 * another user's folder belongs to that user: the agent, an ordinary user under systemd, reads what
 * `sudo tributary login` wrote. `finish` sets another owner or mode on the open file before it gets
 * its name, because a name may lead to another file by then.
 * @throws state-unwritable
 */
export async function writeFileAtomic(
  path: string,
  text: string,
  finish?: (file: FileHandle, owner: User | undefined) => Promise<void>,
): Promise<void> {
  const { O_CREAT, O_EXCL, O_WRONLY } = constants;
  const temporary = `.${basename(path)}.${randomBytes(4).toString('hex')}`;
  const replace = async (folder: Folder, name: string) => {
    await using file = await folder.open(temporary, O_CREAT | O_EXCL | O_WRONLY);
    await file.writeFile(text);
    // This only matters where root cannot become the folder's owner. A user whom this user
    // namespace does not know cannot own a file, so a failure is accepted.
    if (folder.owner !== undefined)
      await file.chown(folder.owner.uid, folder.owner.gid).catch(() => undefined);
    await finish?.(file, folder.owner);
    await file.sync();
    await folder.rename(temporary, name);
    await folder.sync();
  };
  await inFolder(path, (folder, name) =>
    replace(folder, name).catch(async (error: unknown) => {
      await folder.remove(temporary).catch(() => undefined);
      throw error;
    }),
  ).catch(unwritable(`writing ${path}`));
}

/**
 * Replaces a file's text in one step. Its owner and mode stay; a new file, whose folder is made
 * too, is readable by all. A link stays, and the file that it leads to is replaced.
 * @throws state-unwritable
 */
export async function replaceFileText(link: string, text: string): Promise<void> {
  const path = await followOwnLinks(link, 40).catch(unwritable(`writing ${link}`));
  const before = await stat(path).catch(() => undefined);
  if (before === undefined)
    await makeFolders(dirname(path), 0o755).catch(unwritable(`writing ${path}`));
  await writeFileAtomic(path, text, async (file, owner) => {
    if (before !== undefined && owner === undefined) await file.chown(before.uid, before.gid);
    await file.chmod((before?.mode ?? 0o644) & 0o777);
  });
}

/**
 * Where the path leads. A link that another user made, or one in a folder of another user for root,
 * is not followed: that user could lead it to any file. The link itself is replaced there.
 */
async function followOwnLinks(path: string, linksLeft: number): Promise<string> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isSymbolicLink() !== true || linksLeft === 0) return path;
  const isOurs = found.uid === 0 || found.uid === process.geteuid?.();
  const isOthers = await withFolder(dirname(path), async ({ owner }) => owner !== undefined);
  if (!isOurs || isOthers) return path;
  return followOwnLinks(resolve(dirname(path), await readlink(path)), linksLeft - 1);
}

/**
 * Adds text to the end of a file; it survives a power cut. Makes the file (mode 0600) and its
 * folder if they are missing. Resolves with the file's length in bytes.
 * @throws state-unwritable
 */
export async function appendToFile(path: string, text: string): Promise<number> {
  const { O_APPEND, O_CREAT, O_WRONLY } = constants;
  const append = async (folder: Folder, name: string) => {
    await using file = await folder.open(name, O_APPEND | O_CREAT | O_WRONLY);
    await file.appendFile(text);
    await file.datasync();
    const { size } = await file.stat();
    if (size === Buffer.byteLength(text)) await folder.sync();
    return size;
  };
  if (!(await isThere(dirname(path))))
    await makeFolder(dirname(path), 0o700).catch(unwritable(`writing ${path}`));
  return inFolder(path, append).catch(unwritable(`writing ${path}`));
}

/** Renames a file within its folder. @throws state-unwritable */
export async function renameFile(path: string, to: string): Promise<void> {
  await inFolder(path, (folder, name) => folder.rename(name, to)).catch(
    unwritable(`renaming ${path}`),
  );
}

/** Removes a file if it is there. @throws state-unwritable */
export async function removeFile(path: string): Promise<void> {
  const remove = inFolder(path, (folder, name) => folder.remove(name));
  await unless(remove, 'ENOENT', 'ENOTDIR').catch(unwritable(`removing ${path}`));
}

/** The names in a folder; empty without such a folder. @throws state-unreadable */
export async function listFolder(path: string): Promise<readonly string[]> {
  const names = withFolder(path, (folder) => folder.names());
  return (await readIfThere(path, names)) ?? [];
}

/**
 * The file's text; undefined when there is no such file. No link is followed.
 * @throws state-unreadable
 */
export function readOwnFile(path: string): Promise<string | undefined> {
  const read = inFolder(path, async (folder, name) => {
    await using file = await folder.open(name, constants.O_RDONLY);
    return await file.readFile('utf8');
  });
  return readIfThere(path, read);
}

/**
 * The file's text; undefined when there is no such file. A link is followed as far as the owner of
 * its folder may follow it.
 * @throws state-unreadable
 */
export function readLinkedFile(path: string): Promise<string | undefined> {
  const read = inFolder(path, (folder, name) => folder.readLinked(name));
  return readIfThere(path, read);
}

/**
 * The text of a file of the system's or of the caller's, links followed; undefined when there is no
 * such file.
 * @throws state-unreadable
 */
export function readFileIfThere(path: string): Promise<string | undefined> {
  return readIfThere(path, readFile(path, 'utf8'));
}

function readIfThere<T>(path: string, read: Promise<T>): Promise<T | undefined> {
  return unless(read, 'ENOENT', 'ENOTDIR').catch(rethrow('state-unreadable', `reading ${path}`));
}

function inFolder<T>(path: string, act: (folder: Folder, name: string) => Promise<T>): Promise<T> {
  return withFolder(dirname(path), (folder) => act(folder, basename(path)));
}

async function withFolder<T>(path: string, act: (folder: Folder) => Promise<T>): Promise<T> {
  await using folder = await openFolder(path);
  return await act(folder);
}

function unwritable(doing: string) {
  return (cause: unknown): never => {
    const action = systemCodeOf(cause) === 'EBUSY' ? mountedAlone : undefined;
    throw new SystemError('state-unwritable', `${doing}: ${messageOf(cause)}`, { cause, action });
  };
}

/** A file is replaced in one step, which no mount point allows. */
const mountedAlone =
  'The file is mounted on its own, as into a container: edit it on the host, or mount its folder instead.';

/** The temporary name that `writeFileAtomic` gives to a state file. */
const temporaryName = /^\.[\w-]+\.(jsonl?|conf)(\.left-\d+)?\.[0-9a-f]{8}$/;

/** What former versions kept, and nothing uses any more: the tunnel's settings with its key. */
const formerName = 'wireguard.conf';

/**
 * Removes temporary files of writes that were killed in this folder of the agent's, and what former
 * versions left. Younger ones than a minute stay, because a command may be writing them now.
 */
export async function sweepTemporaryFiles(path: string, now: Date): Promise<void> {
  const isLeft = (name: string) => temporaryName.test(name) || name === formerName;
  const sweep = async (folder: Folder) => {
    for (const name of (await folder.names()).filter(isLeft)) {
      const found = await folder.look(name);
      if (found.isFile() && now.getTime() - found.mtimeMs > 60_000) await folder.remove(name);
    }
  };
  // Files that cannot be removed cost little, and the agent also starts on a disk that cannot be
  // written.
  await withFolder(path, sweep).catch(() => undefined);
}

/**
 * True where the folder exists, can be written, and root need not become another user to work in
 * it.
 */
function isOwnFolder(path: string): Promise<boolean> {
  const isOwn = ({ owner }: Folder) => access(path, constants.W_OK).then(() => owner === undefined);
  return withFolder(path, isOwn).catch(() => false);
}

/** True where the path, links followed, leads to something that this process can see. */
export function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Makes a directory of mode 0700 unless it exists. @throws state-unwritable */
export async function ensureDirectory(path: string): Promise<void> {
  await makeFolders(path, 0o700).catch(unwritable(`making the directory ${path}`));
}

/**
 * Makes a directory in which other programs open files by name. Root refuses to do so in a folder
 * of another user.
 * @throws state-unwritable
 */
export async function ensureOwnDirectory(path: string): Promise<void> {
  await ensureDirectory(path);
  if (await isOwnFolder(path)) return;
  throw new SystemError(
    'state-unwritable',
    `${path} belongs to another user or is read-only: name another`,
  );
}

/** Makes the folder, and the missing ones above it. */
async function makeFolders(path: string, mode: number): Promise<void> {
  if (await isThere(path)) return;
  await makeFolders(dirname(path), mode);
  await makeFolder(path, mode);
}

async function makeFolder(path: string, mode: number): Promise<void> {
  await inFolder(path, async (above, name) => {
    await unless(above.makeFolder(name, mode), 'EEXIST');
    await above.sync();
  });
}

/** The result; undefined where it fails with one of these codes of the system. */
function unless<T>(done: Promise<T>, ...codes: readonly string[]): Promise<T | undefined> {
  return done.catch((error: unknown) => {
    if (!codes.includes(systemCodeOf(error) ?? '')) throw error;
    return undefined;
  });
}
