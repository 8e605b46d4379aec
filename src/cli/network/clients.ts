import { TributaryError } from '../../lib/errors.ts';
import { defineCommand } from '../command.ts';
import type { Output } from '../context.ts';
import { formatAgo } from '../present/amounts.ts';
import { renderJson } from '../present/text.ts';
import type { Session } from '../session.ts';
import { type ClientView, findConnectedAt, viewClient } from './client-view.ts';

type Count = Record<'all' | 'connected', number>;

/** The columns of a table fit a page. */
export const pageRows = 200;
/** No columns, so no more is held than one write is worth. */
const pageRowsOfJson = 20;

export const clients = defineCommand({
  usage: 'clients',
  description: "every client of the owner's network, as the service lists them",
  options: { '--connected': 'only those that are connected now', '--json': 'one JSON object' },
  examples: {
    'tributary network clients': 'all of them',
    'tributary network clients --connected --json': 'those that are connected, for a script',
  },
  async act({ options }, context) {
    const { createTablePrinter } = await import('../present/table-printer.ts');
    const { openSession } = await import('../session.ts');
    const count = { all: 0, connected: 0 };
    const isShown = (client: ClientView) => client.isConnected || options.connected !== true;
    const isJson = options.json === true;
    const print = isJson
      ? createJsonPrinter()
      : createTablePrinter<ClientView>(
          [
            { title: 'Client', read: ({ clientId }) => clientId, least: 8, isId: true },
            { title: 'Name', read: ({ name }) => name, least: 12 },
            { title: 'Mode', read: ({ provideMode }) => provideMode },
            { title: 'Connected', read: formatConnected, least: 9 },
            { title: 'Last auth', read: (own, now) => formatAgo(own.authenticatedAt, now), least: 9, dropOrder: 1 },
            { title: 'Created', read: ({ createdAt }, now) => formatAgo(createdAt, now), least: 9, dropOrder: 2 },
            { title: 'Spec', read: ({ deviceSpec }) => deviceSpec, least: 8, dropOrder: 3 },
          ],
          context,
        );
    await using session = await openSession(options, context);
    const rows = readClients(session, count, isShown);
    for await (const page of splitPages(rows, isJson ? pageRowsOfJson : pageRows)) {
      await writeAll(context.stdout, print(page));
    }
    const sum = `\n${formatClients(count.all)}, ${count.connected || 'none'} connected.\n`;
    const end = count.all === 0 ? 'No clients yet. Register this device: tributary run\n' : sum;
    await writeAll(context.stdout, isJson ? `${print([])}]}\n` : end);
  },
});

/** The clients to show, as they arrive. @throws codes of `Session.stream`, saying how far the list came */
async function* readClients(session: Session, count: Count, isShown: (client: ClientView) => boolean) {
  try {
    for await (const listed of session.stream('clients', undefined)) {
      const client = viewClient(listed, session.profile);
      count.all += 1;
      if (client.isConnected) count.connected += 1;
      if (isShown(client)) yield client;
    }
  } catch (error) {
    if (!(error instanceof TributaryError) || count.all === 0) throw error;
    const message = `${error.message}; the list is not complete: ${formatClients(count.all)} came`;
    throw new TributaryError(error.code, message, { cause: error });
  }
}

function createJsonPrinter() {
  let lead = '{"clients":[';
  return (page: readonly ClientView[]): string => {
    const text = `${page.length === 0 && lead === ',' ? '' : lead}${page.map(renderJson).join(',')}`;
    lead = ',';
    return text;
  };
}

function formatClients(count: number): string {
  return `${count} ${count === 1 ? 'client' : 'clients'}`;
}

function formatConnected(client: ClientView, now: Date): string {
  if (!client.isConnected) return 'no';
  const connectedAt = findConnectedAt(client);
  return connectedAt === undefined ? 'yes' : formatAgo(connectedAt, now);
}

/** What came so far, `most` at a time; where the list breaks off, first what came before that. */
export async function* splitPages<Row>(rows: AsyncIterable<Row>, most = pageRows): AsyncGenerator<readonly Row[]> {
  let page: Row[] = [];
  try {
    for await (const row of rows) {
      page.push(row);
      if (page.length < most) continue;
      yield page;
      page = [];
    }
  } catch (error) {
    if (page.length > 0) yield page;
    throw error;
  }
  if (page.length > 0) yield page;
}

/** Writes, and waits for a reader that is behind: what waits to be read fills memory. */
export async function writeAll(output: Output, text: string): Promise<void> {
  if (output.write(text) !== false || output.once === undefined) return;
  await new Promise<void>((resolve) => output.once?.('drain', resolve));
}
