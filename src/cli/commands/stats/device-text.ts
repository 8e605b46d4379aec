import { renderSparkline } from '../../../lib/bars.ts';
import { hourMs } from '../../../lib/units.ts';
import type { Shown } from '../../frame/command.ts';
import type { Terminal } from '../../frame/context.ts';
import {
  asGib,
  asHours,
  asUsdc,
  formatCount,
  formatGib,
  formatHours,
  formatMoment,
  formatShare,
  formatShareBehind,
  formatUsdc,
} from '../../present/amounts.ts';
import type { TextColumn } from '../../present/table-printer.ts';
import { defineTable } from '../../present/tables.ts';
import { joinSections, renderLabelled, renderText } from '../../present/text.ts';
import { type DeviceStats, type HereDay, hereReasons } from './device-view.ts';
import { formatWindow, startOfHour } from './figures.ts';

/** Up to this many hours, one character for each says something. */
const mostHours = 48;
const barWidth = 6;

/** A row for each day. Service or device may know nothing of some days. */
export function listDays({ days, here }: DeviceStats) {
  const byDay = new Map(days.map((day) => [day.day, day]));
  const hereByDay = new Map(here?.days.map((day) => [day.day, day]));
  const all = [...new Set([...byDay.keys(), ...hereByDay.keys()])].toSorted();
  const rows = all.map((day) => ({ ...byDay.get(day), day, here: hereByDay.get(day) }));
  return defineTable(rows, [
    { title: 'Day', read: ({ day }) => day, least: 10 },
    { ...asHours, title: 'Uptime', read: ({ uptimeHours }) => uptimeHours },
    { bar: ({ uptimeHours }) => uptimeHours, most: 24, width: barWidth, dropOrder: 5 },
    ...createHereColumns({
      of: 'uptime',
      as: asHours,
      read: (own) => [own.providingHours, own.uptimeDifference],
      dropOrder: 0.3,
    }),
    { ...asGib, title: 'Transfer', read: ({ transferGib }) => transferGib },
    { bar: ({ transferGib }) => transferGib, width: barWidth, dropOrder: 3 },
    ...createHereColumns({
      of: 'transfer',
      as: asGib,
      read: (own) => [own.transferGib, own.transferDifference],
      dropOrder: 0.1,
    }),
    { ...asUsdc, title: 'Payout', read: ({ payoutUsdc }) => payoutUsdc, dropOrder: 0.5 },
    { bar: ({ payoutUsdc }) => payoutUsdc, width: barWidth, dropOrder: 6 },
    { title: 'Contracts', read: ({ contracts }) => contracts, align: 'right', dropOrder: 1 },
    { bar: ({ contracts }) => contracts, width: barWidth, dropOrder: 7 },
    { title: 'Consumers', read: ({ consumers }) => consumers, align: 'right', dropOrder: 2 },
    { bar: ({ consumers }) => consumers, width: barWidth, dropOrder: 8 },
    {
      title: 'Searches',
      read: ({ searchInterest }) => searchInterest,
      align: 'right',
      dropOrder: 4,
    },
  ]);
}

/** The consumers that the device served. */
export function listConsumers({ consumers }: DeviceStats) {
  return defineTable(consumers, [
    { title: 'Consumer', read: ({ clientId }) => clientId, least: 8, isId: true },
    { ...asGib, title: 'Transfer', read: ({ transferGib }) => transferGib },
    { bar: ({ transferGib }) => transferGib, width: barWidth, dropOrder: 1 },
    { title: 'Days', read: ({ days }) => days.length, align: 'right' },
  ]);
}

/** The sums, the hours if they are few, and the tables. */
export function renderDeviceStats(stats: DeviceStats, shown: Shown): string {
  const { totals, here, days } = stats;
  const title = renderTitle(stats, shown);
  if (days.length === 0 && here === undefined) {
    return `${title}\nNo figures for that time. What the agent is doing: tributary status\n`;
  }
  return joinSections([
    title,
    renderLabelled({
      Uptime: `${formatHours(totals.uptimeHours)}${formatShareBehind(totals.uptimeShare)}`,
      Transfer: formatGib(totals.transferGib),
      Payout: formatUsdc(totals.payoutUsdc),
      Contracts: formatCount(totals.contracts),
      Searches: formatCount(totals.searchInterest),
    }),
    renderHours(stats, shown),
    shown.tables.days,
    (here?.reasons ?? []).map((reason) => renderText(hereReasons[reason], shown.columns)).join(''),
    shown.tables.consumers,
  ]);
}

function renderTitle(
  { name, clientId, askedHours, windowHours, createdAt }: DeviceStats,
  { now }: Terminal,
): string {
  const title = name === undefined ? clientId : `${name}, ${clientId}`;
  const window =
    windowHours === undefined
      ? 'A window that the service does not name'
      : `Last ${formatWindow(windowHours)}`;
  const asked = windowHours === askedHours ? '' : ` (asked for: ${formatWindow(askedHours)})`;
  return `${title}\n${window}${asked}, as of ${formatMoment(createdAt ?? now().toISOString())}\n`;
}

/**
 * The uptime of each hour of a short window, with a blank for an unknown one; '' for a long window.
 */
function renderHours(
  { hours, windowHours = Infinity, createdAt }: DeviceStats,
  { now }: Terminal,
): string {
  if (hours.length === 0 || windowHours > mostHours) return '';
  const startMs =
    startOfHour(Date.parse(createdAt ?? '') || now().getTime()) - (windowHours - 1) * hourMs;
  const minutes = new Map(hours.map((hour) => [Date.parse(hour.startAt), hour.uptimeMinutes]));
  const values = Array.from({ length: windowHours }, (_, index) =>
    minutes.get(startMs + index * hourMs),
  );
  return `Uptime by hour since ${formatMoment(new Date(startMs).toISOString())}\n${renderSparkline(values, 60)}\n`;
}

type Row = { readonly here: HereDay | undefined };

interface HereColumns {
  readonly of: string;
  readonly as: Pick<TextColumn<Row>, 'format' | 'align'>;
  readonly dropOrder: number;
  readonly read: (here: HereDay) => readonly [figure: number, difference: number | undefined];
}

/**
 * What this device counted, and how far the service's figure is from that; left out where this
 * device counted nothing.
 */
function createHereColumns({ of, as, dropOrder, read }: HereColumns): readonly TextColumn<Row>[] {
  const shared = { align: 'right', isOptional: true } as const;
  return [
    {
      ...shared,
      ...as,
      title: 'Here',
      name: `${of}-here`,
      read: ({ here }) => here && read(here)[0],
      dropOrder,
    },
    {
      ...shared,
      title: 'Diff',
      name: `${of}-diff`,
      read: ({ here }) => here && read(here)[1],
      format: formatDifference,
      dropOrder: dropOrder + 0.1,
    },
  ];
}

/** How the service's figure differs from this device's: `-3.1 %`. */
function formatDifference(share: number): string {
  const text = formatShare(Math.abs(share));
  return Math.abs(share) < 0.0005 ? '0 %' : `${share < 0 ? '-' : '+'}${text}`;
}
