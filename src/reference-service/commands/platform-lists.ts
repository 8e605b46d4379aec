import { formatBytes } from '../../lib/units.ts';
import { lookbacks } from '../platform/market.ts';
import type { Overview, ShownConnection, ShownContract, ShownMoney } from '../platform/overview.ts';
import { parseNumber, type SandboxCommand, type SharedOptions } from './command.ts';

interface ListOptions extends SharedOptions {
  readonly most?: string;
}

interface ListRow {
  readonly usage: string;
  readonly description: string;
  readonly example: string;
  readonly hasMost?: boolean;
  /** The document that `--json` prints, and the rows that people see. */
  readonly read: (overview: Overview, most: number) => List;
}

interface List {
  readonly document: Readonly<Record<string, readonly unknown[]>>;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly none: string;
}

const usualMost = '50';

const lists: readonly ListRow[] = [
  {
    usage: 'connections',
    description: "list the clients that are connected by the network's own protocol",
    example: 'who is there, how fast, and for how many minutes of the last hour it counts',
    read: (overview) => toConnections(overview.listConnections()),
  },
  {
    usage: 'contracts',
    description: 'list contracts between consumers and providers, the newest first',
    example: 'what both ends reported, and what was paid',
    hasMost: true,
    read: (overview, most) => toContracts(overview.listContracts(most)),
  },
  {
    usage: 'money',
    description: 'list what each network used, and what it earned',
    example: 'after a consumer was stopped',
    read: (overview) => toMoney(overview.listMoney()),
  },
];

/** Commands that show what the platform does. */
export function createPlatformLists(program: string): readonly SandboxCommand<ListOptions>[] {
  return lists.map(({ usage, description, example, hasMost, read }) => ({
    usage,
    description,
    options: hasMost
      ? {
          '--most <number>': ['how many are listed', (own) => own.default(usualMost)],
        }
      : {},
    examples: { [`${program} ${usage} --data ./sandbox`]: example },
    async act({ options, show }) {
      const most = parseNumber('--most', options.most ?? usualMost, { least: 1, most: 100_000 });
      const { openOverview } = await import('../platform/open-overview.ts');
      const { overview, close } = await openOverview(options.data);
      try {
        const list = read(overview, most);
        await show(list.document, () => renderList(list));
      } finally {
        close();
      }
    },
  }));
}

function toConnections(connections: readonly ShownConnection[]): List {
  return {
    document: { connections },
    headings: [
      'CLIENT',
      'NETWORK',
      'NAME',
      'MODE',
      'SOCKETS',
      'LATENCY',
      'SPEED',
      'VALID',
      'LISTED',
    ],
    rows: connections.map((one) => [
      one.clientId,
      one.networkName,
      one.description,
      one.provideMode,
      String(one.sockets),
      one.latencyMs === null ? '–' : `${one.latencyMs} ms`,
      one.bytesPerSecond === null ? '–' : `${formatBytes(one.bytesPerSecond)}/s`,
      `${one.validBlocks} of ${one.blocks}`,
      toListed(one),
    ]),
    none: 'No client is connected.',
  };
}

/** Yes, or how far it is from that. */
function toListed({ isListed, validOfHour, validOfHalfDay }: ShownConnection): string {
  const { hour, halfDay } = lookbacks;
  return isListed
    ? 'yes'
    : `no: ${validOfHour} of ${hour.wanted} in the hour, ${validOfHalfDay} of ${halfDay.wanted} in half a day`;
}

function toContracts(contracts: readonly ShownContract[]): List {
  return {
    document: { contracts },
    headings: ['CONTRACT', 'KIND', 'STATE', 'SIZE', 'SOURCE SAYS', 'DESTINATION SAYS', 'PAID'],
    rows: contracts.map((one) => [
      one.contractId,
      one.kind,
      one.state,
      formatBytes(one.byteCount),
      formatBytes(one.sourceBytes),
      formatBytes(one.destinationBytes),
      formatBytes(one.paidBytes),
    ]),
    none: 'No contract was made yet.',
  };
}

function toMoney(networks: readonly ShownMoney[]): List {
  const toUsdc = (amount: number): string => `${amount.toFixed(6)} USDC`;
  return {
    document: { networks },
    headings: ['NETWORK', 'LEFT', 'USED', 'PRICE', 'PROVIDED', 'EARNED'],
    rows: networks.map((one) => [
      one.networkName,
      formatBytes(one.balanceBytes - one.reservedBytes),
      formatBytes(one.usedBytes),
      toUsdc(one.usedUsdc),
      formatBytes(one.providedBytes),
      toUsdc(one.earnedUsdc),
    ]),
    none: 'Nothing was used or earned yet.',
  };
}

function renderList({ headings, rows, none }: List): string {
  if (rows.length === 0) return `${none}\n`;
  const lines = [headings, ...rows];
  const widths = headings.map((_, column) =>
    Math.max(...lines.map((row) => (row[column] ?? '').length)),
  );
  const toLine = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return lines.map((row) => `${toLine(row)}\n`).join('');
}
