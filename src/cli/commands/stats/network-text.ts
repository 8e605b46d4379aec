import { renderSparkline } from '../../../lib/bars.ts';
import { hourMs } from '../../../lib/units.ts';
import type { Shown } from '../../frame/command.ts';
import {
  asFlag,
  asGib,
  asHours,
  asShare,
  asUsdc,
  formatByteCount,
  formatCount,
  formatGib,
  formatHours,
  formatMoment,
  formatShare,
  formatUsdc,
  unknown,
} from '../../present/amounts.ts';
import { fitText } from '../../present/table-printer.ts';
import { defineTable } from '../../present/tables.ts';
import { joinSections, renderText } from '../../present/text.ts';
import { formatWindow, sumKnown } from './figures.ts';
import type { NetworkStats, ProviderStats } from './network-view.ts';

const mostSlots = 72;
/** A timeline of fewer characters shows nothing useful. */
const leastSlots = 24;
const nameWidth = 18;
/** More timelines than this would not make a picture. */
const mostTimelines = 50;
/** Among more devices than these, those that were connected all the time are named in one line. */
const mostFullLines = 10;
/** The service's figure is a little older than the window's end. */
const fullShare = 0.995;
const demand = { align: 'right', isOptional: true } as const;

/** A row for each device, and the totals below. */
export function listDevices({ providers, totals }: NetworkStats) {
  const { deviceCount, connectedCount, uptimeHours, uptimeShare, transferGib, payoutUsdc } = totals;
  const sums = {
    Device: `all ${deviceCount}`,
    Online: `${connectedCount}`,
    Uptime: formatHours(uptimeHours),
    Share: formatShare(uptimeShare),
    Transfer: formatGib(transferGib),
    Payout: formatUsdc(payoutUsdc),
    Contracts: formatCount(totals.contracts),
    Searches: formatCount(totals.searchInterest),
    Consumers: unknown,
  };
  return defineTable(
    providers,
    [
      { title: 'Device', read: nameDevice, least: 16 },
      { title: 'Client', read: ({ clientId }) => clientId, least: 8, isId: true, dropOrder: 7 },
      { ...asFlag, title: 'Online', read: ({ isConnected }) => isConnected, dropOrder: 1 },
      { ...asHours, title: 'Uptime', read: ({ uptimeHours: own }) => own },
      { ...asShare, title: 'Share', read: ({ uptimeShare: own }) => own, dropOrder: 2 },
      { ...asGib, title: 'Transfer', read: ({ transferGib: own }) => own },
      { ...asUsdc, title: 'Payout', read: ({ payoutUsdc: own }) => own },
      // Longer windows have no figures of demand.
      { ...demand, title: 'Contracts', read: ({ contracts }) => contracts, dropOrder: 4 },
      { ...demand, title: 'Consumers', read: ({ consumers }) => consumers, dropOrder: 5 },
      { ...demand, title: 'Searches', read: ({ searchInterest }) => searchInterest, dropOrder: 6 },
      { title: 'Mode', read: ({ provideMode }) => provideMode, dropOrder: 3 },
    ],
    providers.length === 1 ? undefined : sums,
  );
}

/** The table, and below it when each device was connected. */
export function renderNetworkStats(stats: NetworkStats, { tables, now, columns }: Shown): string {
  if (stats.providers.length === 0)
    return 'No devices yet. To register this one: sudo systemctl start tributary\n';
  const endMs = Date.parse(stats.createdAt ?? '') || now().getTime();
  return joinSections([
    `Last ${formatWindow(stats.windowHours)}, as of ${formatMoment(new Date(endMs).toISOString())}\n`,
    tables.providers,
    renderTimelines(stats, endMs, columns),
    renderProvided(stats, columns),
  ]);
}

/** What was paid and what is due, and why it is another sum than the table's. */
function renderProvided({ provided, totals }: NetworkStats, columns: number | undefined): string {
  // Rows that were chosen are not all devices, and have no width either.
  if (provided === undefined || columns === 0) return '';
  const is = totals.deviceCount === 1 ? 'this device' : 'all devices';
  const sums = `${formatByteCount(provided.paidBytes)} paid, ${formatByteCount(provided.unpaidBytes)} due`;
  const why =
    "This has what consumers download by the network's own protocol too, which a service may leave out above. What was paid: tributary account payments";
  const lines = [`Since the beginning, ${is}: ${sums}.`, why];
  return lines.map((line) => renderText(line, columns)).join('');
}

function nameDevice({ name, clientId }: Pick<ProviderStats, 'name' | 'clientId'>): string {
  return name ?? clientId?.slice(0, 8) ?? unknown;
}

/** A line for each device that was ever connected; '' without enough room. */
function renderTimelines(
  { providers, windowHours }: NetworkStats,
  endMs: number,
  room: number | undefined,
): string {
  const known = providers.filter(
    ({ isConnected, connectedEvents }) => isConnected || connectedEvents.length > 0,
  );
  const isFull = (own: ProviderStats) =>
    own.isConnected === true && (own.uptimeHours ?? 0) >= windowHours * fullShare;
  const full = known.length > mostFullLines ? known.filter(isFull) : [];
  const seen = known.filter((own) => !full.includes(own));
  const slots = Math.min(mostSlots, (room ?? 100) - nameWidth);
  if (known.length === 0 || slots < leastSlots) return '';
  const startMs = endMs - windowHours * hourMs;
  const lines = seen.slice(0, mostTimelines).map((provider) => {
    const { connectedEvents: events, isConnected = false, uptimeHours = 0 } = provider;
    const shares = measureConnected({ events, isConnected, startMs, endMs, slots });
    const drawnHours = (windowHours * (sumKnown(shares) ?? 0)) / slots;
    // The service keeps events for a shorter time than hours, so the time before the first event is
    // unknown.
    const isWhole = Math.abs(drawnHours - uptimeHours) <= windowHours / 10;
    const firstMs = isWhole
      ? startMs
      : Math.min(...events.map(({ at }) => Date.parse(at ?? '') || endMs), endMs);
    const firstSlot = Math.floor((slots * (firstMs - startMs)) / (endMs - startMs));
    // Even the shortest connection is shown.
    const seenShares = shares.map((share, slot) => {
      if (slot < firstSlot) return undefined;
      return share > 0 ? Math.max(share, 1 / 8) : 0;
    });
    return `${fitText(nameDevice(provider), nameWidth - 2)}  ${renderSparkline(seenShares, 1)}\n`;
  });
  const more = seen.length > mostTimelines ? `… and ${seen.length - mostTimelines} more\n` : '';
  const all =
    full.length === 0 ? '' : renderText(`All the time: ${full.map(nameDevice).join(', ')}`, room);
  return `When each was connected, from ${formatMoment(new Date(startMs).toISOString())}\n${lines.join('')}${more}${all}`;
}

interface Timeline extends Readonly<Record<'startMs' | 'endMs' | 'slots', number>> {
  readonly events: ProviderStats['connectedEvents'];
  readonly isConnected: boolean;
}

/** The share of each stretch of time in which the device was connected, oldest first. */
export function measureConnected({
  events,
  isConnected,
  startMs,
  endMs,
  slots,
}: Timeline): readonly number[] {
  const known = events
    .map((event) => ({ atMs: Date.parse(event.at ?? ''), isConnected: event.isConnected }))
    .filter(({ atMs }) => atMs >= startMs && atMs <= endMs)
    .toSorted((one, other) => one.atMs - other.atMs);
  // Before its first event the device was in the state that this event ended.
  const turns = [
    { atMs: startMs, isConnected: known[0] ? !known[0].isConnected : isConnected },
    ...known,
  ];
  // The bounds are whole milliseconds, because rounding errors would keep a full share below 1.
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
