import type { Command } from 'commander';
import { TributaryError } from '../../lib/errors.ts';
import { keepHeapSmall } from '../../system/give-back-memory.ts';
import type { CommandContext } from '../context.ts';
import { formatAgo, formatCount, unknown } from '../present/amounts.ts';
import { toPages, writeAll } from '../present/pages.ts';
import { type Column, createTablePrinter } from '../present/table.ts';
import { addStreamingCommand, type Paper, toPaper } from '../service-command.ts';
import type { Session } from '../session.ts';
import { type ClientView, toClientView, toConnectedAt } from './client-view.ts';

interface ClientsOptions {
  readonly connected?: boolean;
}

/** Clients as far as they came. */
interface Count {
  all: number;
  connected: number;
}

/** Turns pages of clients into text, and ends it. */
interface ClientsPrinter {
  print(page: readonly ClientView[]): string;
  end(): string;
}

/** Adds `tributary network clients`. */
export function registerClients(group: Command, context: CommandContext): void {
  addStreamingCommand<ClientsOptions>(group, context, {
    usage: 'clients',
    description: "every client of the owner's network, as the service lists them",
    options: { '--connected': 'only those that are connected now' },
    examples: {
      'tributary network clients': 'all of them',
      'tributary network clients --connected --json': 'those that are connected, for a script',
    },
    act: async (session, { options }) => {
      keepHeapSmall();
      const count = { all: 0, connected: 0 };
      const isWanted = (client: ClientView) => client.isConnected || options.connected !== true;
      const printer = options.json === true ? createJsonPrinter() : createTextPrinter(toPaper(context), count);
      for await (const page of toPages(readClients(session, count, isWanted))) {
        await writeAll(context.stdout, printer.print(page));
      }
      await writeAll(context.stdout, printer.end());
    },
  });
}

/** The clients that are wanted, as they arrive. @throws codes of `Session.stream`, saying how far the list came */
async function* readClients(
  session: Session,
  count: Count,
  isWanted: (client: ClientView) => boolean,
): AsyncGenerator<ClientView> {
  try {
    for await (const listed of session.stream('clients', undefined)) {
      const client = toClientView(listed, session.profile);
      count.all += 1;
      if (client.isConnected) count.connected += 1;
      if (isWanted(client)) yield client;
    }
  } catch (error) {
    if (!(error instanceof TributaryError) || count.all === 0) throw error;
    const message = `${error.message}; the list is not complete: ${formatClients(count.all)} came`;
    throw new TributaryError(error.code, message, { cause: error });
  }
}

function createJsonPrinter(): ClientsPrinter {
  let lead = '{"clients":[';
  return {
    print(page) {
      const text = `${lead}${page.map((client) => JSON.stringify(client)).join(',')}`;
      lead = ',';
      return text;
    },
    end: () => `${lead === ',' ? '' : lead}]}\n`,
  };
}

function createTextPrinter(paper: Paper, count: Readonly<Count>): ClientsPrinter {
  const table = createTablePrinter(toColumns(paper.now), paper.columns);
  return { print: (page) => table.print(page), end: () => renderEnd(count) };
}

function renderEnd({ all, connected }: Readonly<Count>): string {
  if (all === 0) return 'No clients yet. Register this device: tributary run\n';
  return `\n${formatClients(all)}, ${connected === 0 ? 'none' : formatCount(connected)} connected.\n`;
}

function formatClients(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'client' : 'clients'}`;
}

function toColumns(now: Date): readonly Column<ClientView>[] {
  return [
    { title: 'Client', read: ({ clientId }) => clientId ?? unknown, least: 8, isId: true },
    { title: 'Name', read: ({ name }) => name ?? unknown, least: 12 },
    { title: 'Mode', read: ({ provideMode }) => provideMode ?? unknown },
    { title: 'Connected', read: (client) => formatConnected(client, now), least: 9 },
    { title: 'Last auth', read: ({ authenticatedAt }) => formatAgo(authenticatedAt, now), least: 9, dropOrder: 1 },
    { title: 'Created', read: ({ createdAt }) => formatAgo(createdAt, now), least: 9, dropOrder: 2 },
    { title: 'Spec', read: ({ deviceSpec }) => deviceSpec ?? unknown, least: 8, dropOrder: 3 },
  ];
}

function formatConnected(client: ClientView, now: Date): string {
  if (!client.isConnected) return 'no';
  const connectedAt = toConnectedAt(client);
  return connectedAt === null ? 'yes' : formatAgo(connectedAt, now);
}
