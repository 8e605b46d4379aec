import { TributaryError } from '../../../errors/codes.ts';
import { defineCommand, type Shown } from '../../frame/command.ts';
import type { CommandContext, Output } from '../../frame/context.ts';
import type { Session } from '../../frame/session.ts';
import { asAgo } from '../../present/amounts.ts';
import { readBelow } from '../../present/below-table.ts';
import type { Column } from '../../present/table-printer.ts';
import { asksForChoice, defineTable, type ListOptions, listFlags } from '../../present/tables.ts';
import { renderJson } from '../../present/text.ts';
import { type ClientView, findConnectedAt, viewClient } from './client-view.ts';

type Count = Record<'all' | 'connected', number>;

/** How many rows of a table share their column widths. */
export const pageRows = 200;
/** JSON has no column widths, so no more rows are held than one write is worth. */
const pageRowsOfJson = 20;

export const clients = defineCommand({
  usage: 'clients',
  description:
    'the whole record of each client, as the service lists it: of any number, row by row',
  options: {
    '--connected': 'only those that are connected now',
    '--json': 'one JSON object',
    ...listFlags,
  },
  examples: {
    'tributary service clients': 'all of them',
    'tributary service clients --connected --json': 'those that are connected, for a script',
  },
  async act({ options }, context) {
    const { openSession } = await import('../../frame/session.ts');
    await using session = await openSession(options, context);
    const read = (count: Count) => readClients(session, count, options);
    const isJson = options.json === true;
    // A list from which a choice is made is held as a whole; of one that is only printed, a page.
    if (asksForChoice(options) || !(isJson || context.columns === undefined)) {
      return await showClients(read, options, context);
    }
    const { createTablePrinter } = await import('../../present/table-printer.ts');
    const count = { all: 0, connected: 0 };
    const print = isJson ? createJsonPrinter() : createTablePrinter(columns, context);
    for await (const page of splitPages(read(count), isJson ? pageRowsOfJson : pageRows)) {
      await writeAll(context.stdout, print(page));
    }
    await writeAll(context.stdout, isJson ? `${print([])}]}\n` : formatEnd(count));
  },
});

const columns: readonly Column<ClientView>[] = [
  { title: 'Client', read: ({ clientId }) => clientId, least: 8, isId: true },
  { title: 'Name', read: ({ name }) => name, least: 20 },
  { title: 'Mode', read: ({ provideMode }) => provideMode },
  {
    ...asAgo,
    title: 'Connected',
    read: (own) => (own.isConnected ? (findConnectedAt(own) ?? 'yes') : 'no'),
  },
  { ...asAgo, title: 'Last auth', read: ({ authenticatedAt }) => authenticatedAt, dropOrder: 1 },
  { ...asAgo, title: 'Created', read: ({ createdAt }) => createdAt, dropOrder: 2 },
  { title: 'Spec', read: ({ deviceSpec }) => deviceSpec, least: 8, dropOrder: 3 },
];

type ReadClients = (count: Count) => AsyncIterable<ClientView>;

async function showClients(
  read: ReadClients,
  options: ListOptions,
  context: CommandContext,
): Promise<void> {
  const { createRowKeeper } = await import('../choose-client.ts');
  const { showTables } = await import('../../present/show-tables.ts');
  let count = { all: 0, connected: 0 };
  const run = async () => {
    count = { all: 0, connected: 0 };
    return { clients: await Array.fromAsync(read(count), createRowKeeper('clients')) };
  };
  const render = (view: { clients: readonly ClientView[] }, shown: Shown) => {
    const { rows } = readBelow(shown, 'clients', view.clients);
    const end = formatEnd(shown.chosen === undefined ? count : countRows(rows));
    return `${shown.tables.clients}${end}`;
  };
  const tables = (view: { clients: readonly ClientView[] }) => ({
    clients: defineTable(view.clients, columns),
  });
  await showTables({ run, render, tables }, options, context);
}

function countRows(rows: readonly ClientView[]): Count {
  return { all: rows.length, connected: rows.filter(({ isConnected }) => isConnected).length };
}

function formatEnd({ all, connected }: Count): string {
  if (all === 0) return 'No clients yet. To register this device: sudo systemctl start tributary\n';
  return `\n${formatClients(all)}, ${connected || 'none'} connected.\nYour devices at a glance: tributary device list\n`;
}

/**
 * The clients to show, as they arrive.
 * @throws codes of `Session.stream`, with how far the list came
 */
async function* readClients(
  session: Session,
  count: Count,
  { connected }: { connected?: boolean },
) {
  try {
    for await (const listed of session.stream('clients', undefined)) {
      const client = viewClient(listed, session.profile);
      count.all += 1;
      if (client.isConnected) count.connected += 1;
      if (client.isConnected || connected !== true) yield client;
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

/**
 * Hands out rows in pages of at most `most`. If the list breaks off, the rows before that are
 * handed out first.
 */
export async function* splitPages<Row>(
  rows: AsyncIterable<Row>,
  most = pageRows,
): AsyncGenerator<readonly Row[]> {
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

/** Writes, and waits for a slow reader: unread text would fill memory. */
export async function writeAll(output: Output, text: string): Promise<void> {
  if (output.write(text) !== false || output.once === undefined) return;
  await new Promise<void>((resolve) => output.once?.('drain', resolve));
}
