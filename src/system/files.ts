import { randomBytes } from 'node:crypto';
import { access, chmod, chown, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { messageOf, systemCodeOf, TributaryError } from '../lib/errors.ts';

/** Whose a file becomes: the process's that writes it, or that of the directory it lies in, where root writes it. */
type FileOwner = 'process' | 'directory';

/** Replaces a file in one step with mode 0600, and lasts through a power cut. @throws state-unwritable */
export async function writeFileAtomic(path: string, text: string, owner: FileOwner = 'process'): Promise<void> {
  await replaceFile(path, async (temporary) => {
    await writeFile(temporary, text, asNew);
    if (owner === 'directory') await handToOwner(temporary);
  });
}

/** Replaces a file's text in one step; whose it is and who may read it stay. A new one, in a new folder too, can be read by all. @throws state-unwritable */
export async function replaceFileText(path: string, text: string): Promise<void> {
  await replaceFile(path, async (temporary) => {
    const before = await stat(path).catch(() => undefined);
    if (before === undefined) await mkdir(dirname(path), { recursive: true });
    await writeFile(temporary, text, asNew);
    await chmod(temporary, (before?.mode ?? 0o644) & 0o777);
    if (before !== undefined) await chown(temporary, before.uid, before.gid);
  });
}

/** A private file that was not there before; written when it is on the disk. */
const asNew = { flag: 'wx', mode: 0o600, flush: true };

/** Puts what `write` makes in the file's place. */
async function replaceFile(path: string, write: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(4).toString('hex')}`);
  try {
    await write(temporary);
    await rename(temporary, path);
    await using directory = await open(dirname(path), 'r');
    await directory.sync();
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw new TributaryError('state-unwritable', `writing ${path}: ${messageOf(error)}`, { cause: error });
  }
}

/** The file's text; undefined when there is no such file. @throws state-unreadable */
export async function readFileIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT' || systemCodeOf(error) === 'ENOTDIR') return undefined;
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

/** What root's command writes stays readable for the agent, which is an ordinary user under systemd. */
async function handToOwner(path: string): Promise<void> {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = await stat(dirname(path));
  // An owner whom this user namespace does not know cannot be given anything.
  if (uid !== 0) await chown(path, uid, gid).catch(() => undefined);
}
