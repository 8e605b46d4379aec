import * as fs from 'node:fs';
import {
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  unlink,
} from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { attempt } from '../lib/attempt.ts';
import { systemCodeOf } from '../lib/errors.ts';

/**
 * A folder, and the files in it by their names. It is held open until it is disposed of. Errors are
 * the system's, with the paths that the caller gave.
 */
export interface Folder extends AsyncDisposable {
  /** The folder's owner, where root works in another user's folder; otherwise undefined. */
  readonly owner: User | undefined;
  /**
   * Opens a regular file, never through a link. In another user's folder the file has to belong to
   * that user and must have no second name. `flags` are the ones that open(2) takes; a new file has
   * mode 0600.
   */
  open(name: string, flags: number): Promise<FileHandle>;
  /** Text of a file, also through a link as far as the folder's owner may follow it. */
  readLinked(name: string): Promise<string>;
  rename(from: string, to: string): Promise<void>;
  remove(name: string): Promise<void>;
  names(): Promise<readonly string[]>;
  makeFolder(name: string, mode: number): Promise<unknown>;
  /** What has this name; for a link, the link itself. */
  look(name: string): Promise<fs.Stats>;
  /** Runs `act` with the path of a name, at once and with the rights of the folder's owner. */
  at<T>(name: string, act: (path: string) => T): T;
  /** Resolves when the folder's names are on the disk. */
  sync(): Promise<void>;
}

/**
 * Opens a folder. Root becomes the folder's owner for each step that uses a name in it, so a link
 * leads no further than that owner may go.
 */
export async function openFolder(path: string): Promise<Folder> {
  // Only root has rights that the folder's owner lacks, so other users need no such care.
  if (process.geteuid?.() !== 0) {
    return createFolder({
      path,
      handle: undefined,
      base: path,
      owner: undefined,
      actor: undefined,
    });
  }
  const full = resolve(path);
  const handle = await open(full, fs.constants.O_DIRECTORY);
  try {
    const { uid, gid } = await handle.stat();
    // The folder is held open and reached through its descriptor. Its owner may not be able to walk
    // to it (/var/lib/private), and may swap the folders above it.
    const base = `/proc/self/fd/${handle.fd}`;
    await refuseOthersLinks(full, await readlink(base), uid);
    const owner = uid === 0 ? undefined : { uid, gid };
    const actor = owner !== undefined && canBecome(owner) ? owner : undefined;
    return createFolder({ path, handle, base, owner, actor });
  } catch (error) {
    await handle.close();
    throw error;
  }
}

interface FolderParts {
  readonly path: string;
  readonly handle: FileHandle | undefined;
  readonly base: string;
  readonly owner: User | undefined;
  /** The user whose rights each step uses; undefined for this process's own. */
  readonly actor: User | undefined;
}

/** Two ways to one call of the system: for this process itself, and for another user. */
type Ways<A extends readonly unknown[], T> = readonly [
  later: (...args: A) => Promise<T>,
  now: (...args: A) => T,
];

function createFolder(parts: FolderParts): Folder {
  const { path, handle, base, owner, actor } = parts;
  const inBase = (name: string) => join(base, name);
  // The agent itself never waits for its disk; commands that root runs have nothing else to do
  // meanwhile.
  const step = async <A extends readonly unknown[], T>(
    [later, now]: Ways<A, T>,
    ...args: A
  ): Promise<T> => {
    try {
      return await (actor === undefined ? later(...args) : asUser(actor, () => now(...args)));
    } catch (error) {
      if (error instanceof Error) error.message = error.message.replaceAll(base, path);
      throw error;
    }
  };
  const openFile = async (name: string, flags: number) => {
    // With these flags an open neither waits at a pipe nor follows a link.
    const safe = flags | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK;
    const ways: Ways<[string, number, number], FileHandle | number> = [open, fs.openSync];
    const file = await step(ways, inBase(name), safe, 0o600).catch((error: unknown) => {
      throw systemCodeOf(error) === 'ELOOP' ? new Error('it is a link', { cause: error }) : error;
    });
    const opened = typeof file === 'number' ? await toHandle(file, safe) : file;
    try {
      await checkFile(opened, parts);
      return opened;
    } catch (error) {
      await opened.close();
      throw error;
    }
  };
  return {
    owner,
    open: openFile,
    async readLinked(name) {
      const ways: Ways<[string, 'utf8'], string> = [readFile, fs.readFileSync];
      if (owner === undefined || actor !== undefined) return await step(ways, inBase(name), 'utf8');
      await using file = await openFile(name, fs.constants.O_RDONLY);
      return await file.readFile('utf8');
    },
    rename: (from, to) => step([rename, fs.renameSync], inBase(from), inBase(to)),
    remove: (name) => step([unlink, fs.unlinkSync], inBase(name)),
    names: () => step<[string], readonly string[]>([readdir, fs.readdirSync], base),
    makeFolder: (name, mode) =>
      step<[string, number], unknown>([mkdir, fs.mkdirSync], inBase(name), mode),
    look: (name) => step<[string], fs.Stats>([lstat, fs.lstatSync], inBase(name)),
    at: (name, act) => asUser(actor, () => act(inBase(name))),
    async sync() {
      if (handle !== undefined) return await handle.sync();
      await using opened = await open(path, fs.constants.O_DIRECTORY);
      await opened.sync();
    },
    async [Symbol.asyncDispose]() {
      await handle?.close();
    },
  };
}

/**
 * Opens the file again with this process's rights, by its descriptor: a name could lead elsewhere
 * by now.
 */
async function toHandle(descriptor: number, flags: number): Promise<FileHandle> {
  const { O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants;
  try {
    return await open(`/proc/self/fd/${descriptor}`, flags & ~(O_CREAT | O_EXCL | O_NOFOLLOW));
  } finally {
    fs.closeSync(descriptor);
  }
}

async function checkFile(file: FileHandle, { owner, actor }: FolderParts): Promise<void> {
  const found = await file.stat();
  if (!found.isFile()) throw new Error('it is no regular file');
  if (owner === undefined) return;
  // A root that cannot become the owner has written its own files here before.
  const isExpected = found.uid === owner.uid || (actor === undefined && found.uid === 0);
  if (!isExpected)
    throw new Error(`it belongs to user ${found.uid}, and its folder to user ${owner.uid}`);
  if (found.nlink > 1)
    throw new Error('it has a second name, in a folder that belongs to another user');
}

/**
 * Who may swap a link decides where it leads, so root follows only its own links and the links of
 * the user that it becomes. In a user namespace it also follows links of users who are unknown
 * there, because it has no rights that they lack. `opened` is where the open folder really is; a
 * link that was swapped meanwhile does not lead there.
 */
async function refuseOthersLinks(path: string, opened: string, ownerId: number): Promise<void> {
  // What is really there was reached by no link.
  if (path === opened) return;
  let real = '/';
  const ahead = path.split('/');
  for (let steps = 0; ahead.length > 0 && steps < 200; steps += 1) {
    const next = join(real, ahead.shift() ?? '');
    const target = await readlink(next).catch(() => undefined);
    if (target === undefined) {
      real = next;
      continue;
    }
    const { uid, gid } = await lstat(next);
    if (uid !== 0 && uid !== ownerId && canBecome({ uid, gid }))
      throw new Error(`${next} is a link of user ${uid}, which root does not follow`);
    if (isAbsolute(target)) real = '/';
    ahead.unshift(...target.split('/'));
  }
  if (ahead.length > 0 || real !== opened)
    throw new Error(`${path} was changed while it was opened`);
}

export interface User {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Runs `act` with another user's rights, in one go so that nothing else runs with them; undefined
 * means this process's own rights.
 */
function asUser<T>(user: User | undefined, act: () => T): T {
  if (user === undefined) return act();
  const { setgroups, setegid, seteuid, getgroups, getegid, geteuid } = process;
  if (!setgroups || !setegid || !seteuid || !getgroups || !getegid || !geteuid)
    throw new Error('there are no users');
  const own = { groups: getgroups(), gid: getegid(), uid: geteuid() };
  try {
    // Root's other groups would open files too, so they are dropped first. The user is changed
    // last: after that nothing else may be changed.
    setgroups([]);
    setegid(user.gid);
    seteuid(user.uid);
    return act();
  } finally {
    seteuid(own.uid);
    setegid(own.gid);
    setgroups(own.groups);
  }
}

/**
 * False in a user namespace that does not know the user, and for a root without the right to become
 * other users.
 */
function canBecome(user: User): boolean {
  return attempt(() => asUser(user, () => true)) ?? false;
}
