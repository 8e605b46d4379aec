import * as z from 'zod';
import { hasCode, TributaryError } from '../lib/errors.ts';
import type { OrderName } from '../reference-service/orders.ts';
import { askOverSocket } from '../status/socket-client.ts';

/** What was done: names and plain values, as `--json` prints them. */
export type OrderResult = z.infer<typeof orderResult>;
const orderResult = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

/** An order, and the data directory of the service that is to do it. */
interface GivenOrder {
  readonly directory: string;
  readonly name: OrderName;
  readonly request: unknown;
}

/** A service that starts or stops has the database open and does not answer; another command has it open for a moment. */
const patienceMs = 5000;

/**
 * Has the service do it where one runs on the data directory; else it is done here, on the database.
 * @throws usage-invalid, already-running, not-allowed, state-unreadable, state-unwritable, command-failed
 */
export async function giveOrder(order: GivenOrder): Promise<OrderResult> {
  const { waitForDatabase } = await import('../reference-service/wait-for-database.ts');
  const parsed = orderResult.safeParse(await waitForDatabase(patienceMs, () => giveOnce(order)));
  if (parsed.success) return parsed.data;
  throw new TributaryError('command-failed', 'asking the service: its answer is not as expected');
}

async function giveOnce({ directory, name, request }: GivenOrder): Promise<unknown> {
  const { toControlPath } = await import('../reference-service/control-path.ts');
  const socketPath = toControlPath(directory);
  const service = { name: 'the service', socketPaths: socketPath === undefined ? [] : [socketPath] };
  try {
    return await askOverSocket(service, { method: 'POST', path: `/orders/${name}`, body: request });
  } catch (error) {
    if (!hasCode(error, 'not-running')) throw error;
  }
  const { giveOfflineOrder } = await import('../reference-service/offline-order.ts');
  return giveOfflineOrder(directory, name, request);
}
