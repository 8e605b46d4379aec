import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { createServer } from 'node:net';
import { basename, dirname } from 'node:path';
import { systemCodeOf } from '../lib/errors.ts';
import { rethrow, SystemError } from './errors.ts';
import { openFolder } from './folder.ts';
import { isMissing } from './missing-program.ts';

/**
 * Takes the lock on a file (0600), which is made where it is missing and never removed: a removed
 * file could be locked twice. It is flock(2) on our own open file. A helper process takes it on our
 * descriptor and exits; the lock stays with the file that we hold open and ends with us, after kill
 * -9 too. So no stale process id is ever judged. `by`: what takes it, for the error.
 * @throws already-running, missing-program, command-failed, state-unwritable
 */
export async function acquireLock(path: string, by = 'agent'): Promise<AsyncDisposable> {
  const file = await openLock(path).catch(rethrow('state-unwritable', `opening the lock ${path}`));
  try {
    const exitCode = await runFlock(file.fd);
    if (exitCode === 1) throw await createHeldError(file, path, by);
    if (exitCode !== 0) {
      throw new SystemError(
        'command-failed',
        `locking ${path}: flock exited with ${exitCode ?? 'a signal'}`,
      );
    }
    // The process id is for people; the lock itself does not depend on it.
    await file.truncate(0).catch(() => undefined);
    await file.write(`${process.pid}\n`).catch(() => undefined);
  } catch (error) {
    await file.close();
    throw error;
  }
  return { [Symbol.asyncDispose]: () => file.close() };
}

/**
 * Does the work while nobody else who asks here changes the file. The lock is on the file's folder,
 * so that none is left beside it. Where it cannot be had, the work is done without it: `flock` is
 * missing, the folder cannot be read, or another one keeps it for long, as any user could who may
 * read the folder.
 */
export async function whileAlone<T>(path: string, work: () => Promise<T>): Promise<T> {
  const real = await realpath(path).catch(() => path);
  const folder = await open(dirname(real), constants.O_RDONLY | constants.O_DIRECTORY).catch(
    () => undefined,
  );
  if (folder === undefined) return work();
  try {
    await runFlock(folder.fd, longestWaitMs).catch(() => undefined);
    return await work();
  } finally {
    await folder.close();
  }
}

const longestWaitMs = 10_000;

/**
 * The name of an abstract socket. The kernel knows it in one network namespace alone, and forgets
 * it with its process, after kill -9 too.
 */
const nameInNamespace = 'tributary-agent';

/**
 * Reserves a network namespace for one agent: two would remove each other's rules.
 * @throws already-running
 */
export async function claimNamespace(): Promise<AsyncDisposable> {
  const server = createServer((connection) => connection.destroy());
  await once(server.listen(`\0${nameInNamespace}`), 'listening').catch(() => throwUsed());
  return { [Symbol.asyncDispose]: async () => void server.close() };
}

/**
 * Checks that no agent has reserved the namespace. `sockets` is the text of its /proc/net/unix.
 * @throws already-running
 */
export function checkUnclaimed(sockets: string): void {
  if (sockets.split('\n').some((line) => line.endsWith(` @${nameInNamespace}`))) throwUsed();
}

function throwUsed(): never {
  throw new SystemError(
    'already-running',
    'another agent, of another state directory, uses this network namespace',
  );
}

/** Opens the lock's file, never through a link. Nothing is written before the lock is ours. */
async function openLock(path: string): Promise<FileHandle> {
  const { O_APPEND, O_CREAT, O_RDONLY, O_RDWR } = constants;
  await using folder = await openFolder(dirname(path));
  try {
    return await folder.open(basename(path), O_APPEND | O_CREAT | O_RDWR);
  } catch (error) {
    // The file may be root's own in a folder that was given to another user since, or on a disk
    // that turned read-only. Then it is opened for reading, which is enough to lock it.
    const isGivenAway = folder.owner !== undefined && systemCodeOf(error) === 'EACCES';
    if (!isGivenAway && systemCodeOf(error) !== 'EROFS') throw error;
    return await open(path, O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() =>
      Promise.reject(error),
    );
  }
}

/**
 * The exit code of flock on the descriptor; null when a signal ended it, as after the wait. Without
 * a wait it is 1 where another one has it. execa costs memory and is not needed for this.
 */
async function runFlock(descriptor: number, waitMs = 0): Promise<number | null> {
  // The options are short ones because busybox knows no others.
  const options = waitMs === 0 ? ['-n', '3'] : ['3'];
  const flock = spawn('flock', options, {
    stdio: ['ignore', 'ignore', 'ignore', descriptor],
    timeout: waitMs,
  });
  const [exitCode] = await once(flock, 'exit').catch(async (error: unknown) => {
    const isGone = await isMissing('flock', systemCodeOf(error));
    return rethrow(
      isGone ? 'missing-program' : 'command-failed',
      'locking: flock (package util-linux)',
    )(error);
  });
  return exitCode;
}

async function createHeldError(file: FileHandle, path: string, by: string): Promise<SystemError> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(32), 0, 32, 0);
  const pid = /^\d+/.exec(buffer.toString('utf8', 0, bytesRead))?.[0];
  const whose = pid === undefined ? `another ${by}` : `another ${by} (process ${pid})`;
  return new SystemError('already-running', `${whose} uses this state directory: it holds ${path}`);
}
