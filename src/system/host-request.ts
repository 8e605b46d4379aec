import { join } from 'node:path';
import { toFailure } from './errors.ts';
import { writeFileAtomic } from './files.ts';

/**
 * The file by which an agent in a namespace on a host asks that consumers' connections be forgotten
 * there: it has no right over the host's table. That it was written counts, and nothing in it does.
 */
export const requestName = 'forget-connections';

/** Asks the host, which looks into the folder. It never fails: what nobody forgets times out. */
export async function askToForget(folder: string): Promise<void> {
  await writeFileAtomic(join(folder, requestName), '').catch(toFailure());
}
