import * as z from 'zod';
import { TributaryError, toUndefined } from '../lib/errors.ts';
import { waitForOther } from '../lib/wait-for-other.ts';
import type { AdminCommandName } from '../reference-service/admin-commands.ts';
import { askOverSocket } from '../status/socket-client.ts';

/** What was done: names and plain values, as `--json` prints them. */
export type AdminResult = z.infer<typeof adminResult>;
const adminResult = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

/** A service that starts or stops has the database open and does not answer; another command has it open for a moment. */
const patienceMs = 5000;

/**
 * Has the service run a command of the administrator where one runs on its data directory; else it is run here, on the
 * database. @throws usage-invalid, already-running, not-allowed, state-unreadable, state-unwritable, command-failed
 */
export async function runAdminCommand(directory: string, name: AdminCommandName, request: unknown) {
  const parsed = adminResult.safeParse(await waitForOther(patienceMs, () => tryOnce(directory, name, request)));
  if (parsed.success) return parsed.data;
  throw new TributaryError('command-failed', 'asking the service: its answer is not as expected');
}

async function tryOnce(directory: string, name: AdminCommandName, request: unknown): Promise<unknown> {
  const { findControlPath } = await import('../reference-service/data-directory.ts');
  const socketPath = findControlPath(directory);
  const service = { name: 'the service', socketPaths: socketPath === undefined ? [] : [socketPath] };
  const asked = askOverSocket(service, { method: 'POST', path: `/admin/${name}`, body: request });
  const answer = await asked.catch(toUndefined('not-running'));
  if (answer !== undefined) return answer;
  const { administerOffline } = await import('../reference-service/admin-commands.ts');
  return administerOffline(directory, name, request);
}
