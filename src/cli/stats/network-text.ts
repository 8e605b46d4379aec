import { renderSparkline } from '../../lib/bars.ts';
import { toPlainText } from '../../lib/plain-text.ts';
import type { Terminal } from '../context.ts';
import {
  flagWords,
  formatCount,
  formatGib,
  formatHours,
  formatMoment,
  formatShare,
  formatUsdc,
  unknown,
} from '../present/amounts.ts';
import { fitText } from '../present/table-printer.ts';
import { joinSections, renderTable } from '../present/text.ts';
import { formatWindow, hourMs } from './figures.ts';
import type { NetworkStats, ProviderStats } from './network-view.ts';

const mostSlots = 72;
/** Fewer show nothing worth a line. */
const leastSlots = 24;
const nameWidth = 18;
const demand = { align: 'right', isOptional: true } as const;

/** A table with a row a device and one of totals, then when each was connected. */
export async function renderNetworkStats(stats: NetworkStats, terminal: Terminal): Promise<string> {
  if (stats.providers.length === 0) return 'No devices yet. Register this one: tributary run\n';
  const endMs = Date.parse(stats.createdAt ?? '') || terminal.now().getTime();
  const { deviceCount, connectedCount, ...figures } = stats.totals;
  const total = { ...figures, clientId: '', name: `all ${deviceCount}`, consumers: undefined, provideMode: '' };
  const devices = stats.providers.map((own) => {
    return { ...own, name: nameDevice(own), connected: flagWords[`${own.isConnected}`] };
  });
  const rows = devices.length === 1 ? devices : [...devices, { ...total, connected: formatCount(connectedCount) }];
  return joinSections([
    `Last ${formatWindow(stats.windowHours)}, as of ${formatMoment(new Date(endMs).toISOString())}\n`,
    await renderTable(rows, terminal, [
      { title: 'Device', read: ({ name }) => name, least: 12 },
      { title: 'Client', read: ({ clientId }) => clientId, least: 8, isId: true, dropOrder: 7 },
      { title: 'Online', read: ({ connected }) => connected, dropOrder: 1 },
      { title: 'Uptime', read: ({ uptimeHours }) => formatHours(uptimeHours), align: 'right' },
      { title: 'Share', read: ({ uptimeShare }) => formatShare(uptimeShare), align: 'right', dropOrder: 2 },
      { title: 'Transfer', read: ({ transferGib }) => formatGib(transferGib), align: 'right' },
      { title: 'Payout', read: ({ payoutUsdc }) => formatUsdc(payoutUsdc), align: 'right' },
      // Longer windows tell nothing of demand.
      { ...demand, title: 'Contracts', read: (row) => row.contracts?.toString(), dropOrder: 4 },
      { ...demand, title: 'Consumers', read: (row) => row.consumers?.toString(), dropOrder: 5 },
      { ...demand, title: 'Searches', read: (row) => row.searchInterest?.toString(), dropOrder: 6 },
      { title: 'Mode', read: ({ provideMode }) => provideMode, dropOrder: 3 },
    ]),
    renderTimelines(stats, endMs, terminal.columns),
  ]);
}

function nameDevice({ name, clientId }: Pick<ProviderStats, 'name' | 'clientId'>): string {
  return name ?? clientId?.slice(0, 8) ?? unknown;
}

/** A line for each device that was connected at some time; '' where there is no room. */
function renderTimelines({ providers, windowHours }: NetworkStats, endMs: number, room: number | undefined): string {
  const seen = providers.filter(({ isConnected, connectedEvents }) => isConnected || connectedEvents.length > 0);
  const slots = Math.min(mostSlots, (room ?? 100) - nameWidth);
  if (seen.length === 0 || slots < leastSlots) return '';
  const startMs = endMs - windowHours * hourMs;
  const lines = seen.map((provider) => {
    const { connectedEvents: events, isConnected = false } = provider;
    const shares = measureConnected({ events, isConnected, startMs, endMs, slots });
    // However short, a connection shows.
    const seenShares = shares.map((share) => (share > 0 ? Math.max(share, 1 / 8) : 0));
    return `${fitText(toPlainText(nameDevice(provider)), nameWidth - 2)}  ${renderSparkline(seenShares, 1)}\n`;
  });
  return `Connected since ${formatMoment(new Date(startMs).toISOString())}\n${lines.join('')}`;
}

interface Timeline extends Readonly<Record<'startMs' | 'endMs' | 'slots', number>> {
  readonly events: ProviderStats['connectedEvents'];
  readonly isConnected: boolean;
}

/** The share of each stretch in which the device was connected, oldest first. */
export function measureConnected({ events, isConnected, startMs, endMs, slots }: Timeline): readonly number[] {
  const known = events
    .map((event) => ({ atMs: Date.parse(event.at ?? ''), isConnected: event.isConnected }))
    .filter(({ atMs }) => atMs >= startMs && atMs <= endMs)
    .toSorted((one, other) => one.atMs - other.atMs);
  // Before its first event it was what that event ended.
  const turns = [{ atMs: startMs, isConnected: known[0] ? !known[0].isConnected : isConnected }, ...known];
  // Whole milliseconds: a share of a fraction would fall short of 1 where all of it is meant.
  const findBound = (index: number) => startMs + Math.round((index * (endMs - startMs)) / slots);
  return Array.from({ length: slots }, (_, index) => {
    const [fromMs, toMs] = [findBound(index), findBound(index + 1)];
    const overlaps = turns.map((turn, place) => {
      const untilMs = Math.min(turns[place + 1]?.atMs ?? endMs, toMs);
      return turn.isConnected ? Math.max(0, untilMs - Math.max(turn.atMs, fromMs)) : 0;
    });
    return overlaps.reduce((sum, ms) => sum + ms, 0) / (toMs - fromMs);
  });
}
