import { ensureDirectory } from '../system/files.ts';
import { createAdministration, giveOrder } from './administration.ts';
import { createBooks, defaultClientLimit } from './books.ts';
import { openDatabase } from './database.ts';
import { dialects } from './dialect.ts';
import type { OrderAnswers, OrderName } from './orders.ts';

/**
 * Has an order done on a data directory that no service has open; it is made where it is not there.
 * @throws already-running, state-unreadable, state-unwritable, usage-invalid
 */
export async function giveOfflineOrder<Name extends OrderName>(
  directory: string,
  name: Name,
  request: unknown,
): Promise<OrderAnswers[Name]> {
  await ensureDirectory(directory);
  const database = openDatabase(directory);
  try {
    // Which dialect the service will speak is said when it starts; codes of letters and digits do for both.
    const dialect = dialects.documented;
    const books = createBooks(database, { dialect, clientLimit: defaultClientLimit, now: Date.now });
    return await giveOrder(createAdministration(books), name, request);
  } finally {
    database.close();
  }
}
