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
 * A folder, and the files in it by their names. Throws the system's errors, about paths as they
 * were given.
 */
export type Folder = ReturnType<typeof createFolder>;

/**
 * Root becomes the folder's owner for each step on a name in it: a link leads no further than that
 * owner.
 */
export async function openFolder(path: string): Promise<Folder> {
  // Only root has rights that a folder's owner lacks.
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
    // Held open and not walked to again: an owner may be shut out above it (/var/lib/private), and
    // may swap what is above.
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
  /** Who does it; undefined: this process as it is. */
  readonly actor: User | undefined;
}

/** Two ways to one call of the system: for this process itself, and for another user. */
type Ways<A extends readonly unknown[], T> = readonly [
  later: (...args: A) => Promise<T>,
  now: (...args: A) => T,
];

function createFolder(parts: FolderParts) {
  const { path, handle, base, owner, actor } = parts;
  const inBase = (name: string) => join(base, name);
  // The agent itself never waits for its disk; root's commands have nothing else to do.
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
    // Neither waits at a pipe, nor follows a link.
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
    /** Whose the folder is, where root works in another user's. */
    owner,
    /**
     * A regular file, never through a link. Where the folder is another user's, it has to be theirs
     * and have no second name.
     */
    open: openFile,
    /** Text of a file, also through a link, as far as the folder's owner may follow it. */
    async readLinked(name: string) {
      const ways: Ways<[string, 'utf8'], string> = [readFile, fs.readFileSync];
      if (owner === undefined || actor !== undefined) return await step(ways, inBase(name), 'utf8');
      await using file = await openFile(name, fs.constants.O_RDONLY);
      return await file.readFile('utf8');
    },
    rename: (from: string, to: string) => step([rename, fs.renameSync], inBase(from), inBase(to)),
    remove: (name: string) => step([unlink, fs.unlinkSync], inBase(name)),
    names: () => step<[string], readonly string[]>([readdir, fs.readdirSync], base),
    makeFolder: (name: string, mode: number) =>
      step<[string, number], unknown>([mkdir, fs.mkdirSync], inBase(name), mode),
    /** What has this name; of a link, the link. */
    look: (name: string) => step<[string], fs.Stats>([lstat, fs.lstatSync], inBase(name)),
    /** What is done at once with the path of a name, as the folder's owner. */
    at: <T>(name: string, act: (path: string) => T) => asUser(actor, () => act(inBase(name))),
    /** Resolves when its names are on the disk. */
    async sync() {
      if (handle !== undefined) return await handle.sync();
      await using opened = await open(path, fs.constants.O_DIRECTORY);
      await opened.sync();
    },
    [Symbol.asyncDispose]: async () => handle?.close(),
  };
}

/** Opened again as this process, by what is open and not by a name. */
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
  // A root that cannot become the owner has written files of its own there.
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
 * With another user's rights, in one breath, so that nothing else runs with them; undefined: as
 * this process.
 */
function asUser<T>(user: User | undefined, act: () => T): T {
  if (user === undefined) return act();
  const { setgroups, setegid, seteuid, getgroups, getegid, geteuid } = process;
  if (!setgroups || !setegid || !seteuid || !getgroups || !getegid || !geteuid)
    throw new Error('there are no users');
  const own = { groups: getgroups(), gid: getegid(), uid: geteuid() };
  try {
    // Root's other groups open files too. The user last: after it nothing else may be changed.
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
 * False in a user namespace that does not know the user, and for a root that was left without the
 * right to become others.
 */
function canBecome(user: User): boolean {
  return attempt(() => asUser(user, () => true)) ?? false;
}
