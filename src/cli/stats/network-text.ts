import { renderSparkline } from '../../lib/bars.ts';
import { toPlainText } from '../../status/wrap.ts';
import {
  formatCount,
  formatGib,
  formatHours,
  formatMoment,
  formatShare,
  formatUsdc,
  unknown,
} from '../present/amounts.ts';
import { type Column, fitText, renderTable } from '../present/table.ts';
import type { Paper } from '../service-command.ts';
import type { NetworkStats, ProviderStats } from './network-view.ts';
import { toTimeline } from './timeline.ts';
import { formatWindow } from './window.ts';

/** A device, or all of them. */
interface Row extends Omit<ProviderStats, 'isConnected' | 'provideMode' | 'connectedEvents'> {
  readonly connected: string;
  readonly mode: string;
}

const hourMs = 3_600_000;
const mostSlots = 72;
/** Fewer show nothing worth a line. */
const leastSlots = 24;

/** A table with a row a device and one of totals, then when each was connected. */
export function renderNetworkStats(stats: NetworkStats, { columns, now }: Paper): string {
  if (stats.providers.length === 0) return 'No devices yet. Register this one: tributary run\n';
  const endMs = Date.parse(stats.createdAt ?? '') || now.getTime();
  const devices = stats.providers.map(toRow);
  const rows = devices.length === 1 ? devices : [...devices, toTotalRow(stats)];
  return [
    `Last ${formatWindow(stats.windowHours)}, as of ${formatMoment(new Date(endMs).toISOString())}\n`,
    renderTable(toColumns(rows), rows, columns),
    renderTimelines(stats, endMs, columns),
  ]
    .filter((section) => section !== '')
    .join('\n');
}

function toRow({ isConnected, provideMode, ...provider }: ProviderStats): Row {
  const connected = isConnected === null ? unknown : isConnected ? 'yes' : 'no';
  return { ...provider, name: toName(provider), connected, mode: provideMode ?? unknown };
}

function toTotalRow({ totals: { deviceCount, connectedCount, ...figures } }: NetworkStats): Row {
  const name = `all ${deviceCount}`;
  return { ...figures, clientId: '', name, connected: formatCount(connectedCount), consumers: null, mode: '' };
}

/** A device without a name goes by the beginning of its id. */
function toName({ name, clientId }: Pick<ProviderStats, 'name' | 'clientId'>): string {
  return name ?? clientId?.slice(0, 8) ?? unknown;
}

/** What is known of no device has no column: longer windows tell nothing of demand. */
function toColumns(rows: readonly Row[]): readonly Column<Row>[] {
  const demand = [
    { title: 'Contracts', read: ({ contracts }: Row) => contracts },
    { title: 'Consumers', read: ({ consumers }: Row) => consumers },
    { title: 'Searches', read: ({ searchInterest }: Row) => searchInterest },
  ]
    .filter(({ read }) => rows.some((row) => read(row) !== null))
    .map(({ title, read }, index): Column<Row> => {
      return { title, read: (row) => formatCount(read(row)), align: 'right', dropOrder: 4 + index };
    });
  return [
    { title: 'Device', read: ({ name }) => name ?? unknown, least: 12 },
    { title: 'Client', read: ({ clientId }) => clientId ?? unknown, least: 8, isId: true, dropOrder: 7 },
    { title: 'Online', read: ({ connected }) => connected, dropOrder: 1 },
    { title: 'Uptime', read: ({ uptimeHours }) => formatHours(uptimeHours), align: 'right' },
    { title: 'Share', read: ({ uptimeShare }) => formatShare(uptimeShare), align: 'right', dropOrder: 2 },
    { title: 'Transfer', read: ({ transferGib }) => formatGib(transferGib), align: 'right' },
    { title: 'Payout', read: ({ payoutUsdc }) => formatUsdc(payoutUsdc), align: 'right' },
    ...demand,
    { title: 'Mode', read: ({ mode }) => mode, dropOrder: 3 },
  ];
}

/** A line for each device that was connected at some time; '' where there is no room. */
function renderTimelines({ providers, windowHours }: NetworkStats, endMs: number, columns: number | undefined): string {
  const seen = providers.filter(({ isConnected, connectedEvents }) => isConnected || connectedEvents.length > 0);
  const slots = Math.min(mostSlots, (columns ?? 100) - nameWidth);
  if (seen.length === 0 || slots < leastSlots) return '';
  const startMs = endMs - windowHours * hourMs;
  const lines = seen.map((provider) => {
    const { connectedEvents: events, isConnected } = provider;
    const shares = toTimeline({ events, isConnected: isConnected ?? false, startMs, endMs, slots });
    // However short, a connection shows.
    const seenShares = shares.map((share) => (share > 0 ? Math.max(share, 1 / 8) : 0));
    return `${fitText(toPlainText(toName(provider)), nameWidth - 2)}  ${renderSparkline(seenShares, 1)}\n`;
  });
  return `Connected since ${formatMoment(new Date(startMs).toISOString())}\n${lines.join('')}`;
}

const nameWidth = 18;
