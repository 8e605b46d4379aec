import { lstat, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { messageOf, systemCodeOf, TributaryError } from '../lib/errors.ts';

/** Removes the socket that a dead process left behind. @throws already-running where one answers, state-unwritable */
export async function clearStaleSocket(path: string): Promise<void> {
  const kind = await observePath(path);
  if (kind === 'absent') return;
  if (kind === 'other') {
    throw new TributaryError('state-unwritable', `opening the socket ${path}: there is something else at that path`);
  }
  if (await isAnswered(path)) {
    throw new TributaryError('already-running', `opening the socket ${path}: another agent answers on it`);
  }
  await rm(path, { force: true });
}

async function observePath(path: string): Promise<'absent' | 'socket' | 'other'> {
  try {
    return (await lstat(path)).isSocket() ? 'socket' : 'other';
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return 'absent';
    throw new TributaryError('state-unwritable', `opening the socket ${path}: ${messageOf(error)}`, { cause: error });
  }
}

/** Only a refused connection proves that nobody listens; anything else counts as an answer. */
function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const client = connect(path);
    const finish = (error?: Error) => {
      client.destroy();
      resolve(!['ECONNREFUSED', 'ENOENT'].includes(systemCodeOf(error) ?? ''));
    };
    client.setTimeout(2_000, finish);
    client.once('connect', finish);
    client.once('error', finish);
  });
}
