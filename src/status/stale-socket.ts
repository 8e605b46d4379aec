import { once } from 'node:events';
import { connect } from 'node:net';
import { basename, dirname } from 'node:path';
import { rethrow, systemCodeOf, TributaryError } from '../errors/codes.ts';
import { type Folder, openFolder } from '../system/folder.ts';

/**
 * Removes the socket that a dead process left behind.
 * @throws already-running where an agent answers at it, state-unwritable
 */
export async function clearStaleSocket(path: string): Promise<void> {
  const fail = rethrow('state-unwritable', `opening the socket ${path}`);
  const failUnlessAbsent = (error: unknown) =>
    systemCodeOf(error) === 'ENOENT' ? undefined : fail(error);
  await using folder = await openFolder(dirname(path)).catch(failUnlessAbsent);
  const found = await folder?.look(basename(path)).catch(failUnlessAbsent);
  if (folder === undefined || found === undefined) return;
  if (!found.isSocket()) {
    throw new TributaryError(
      'state-unwritable',
      `opening the socket ${path}: there is something else at that path`,
    );
  }
  if (await isAnswered(folder, basename(path))) {
    throw new TributaryError(
      'already-running',
      `opening the socket ${path}: another agent answers on it`,
    );
  }
  await folder.remove(basename(path)).catch(failUnlessAbsent);
}

/** Only a refused connection proves that no program listens; anything else counts as an answer. */
async function isAnswered(folder: Folder, name: string): Promise<boolean> {
  const client = folder.at(name, (path) => connect(path));
  const signal = AbortSignal.timeout(2_000);
  const failure: unknown = await once(client, 'connect', { signal }).catch(
    (error: unknown) => error,
  );
  client.destroy();
  return !['ECONNREFUSED', 'ENOENT'].includes(systemCodeOf(failure) ?? '');
}
