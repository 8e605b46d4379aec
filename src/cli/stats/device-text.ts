import { renderBar, renderSparkline } from '../../lib/bars.ts';
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
import { type Column, renderTable } from '../present/table.ts';
import { renderText } from '../present/text.ts';
import type { Paper } from '../service-command.ts';
import type { DayStats, DeviceStats } from './device-view.ts';
import { type HereDay, hereReasons } from './here.ts';
import { formatWindow } from './window.ts';

const hourMs = 3_600_000;
/** One character an hour says something up to here. */
const mostHours = 48;
const mostConsumers = 20;
const barWidth = 6;

/** Sums, the hours where they are few, a row a day, and who it was given to. */
export function renderDeviceStats(stats: DeviceStats, { columns, now }: Paper): string {
  const sections = [renderTitle(stats, now)];
  const rows = toRows(stats);
  if (rows.length === 0) {
    sections.push('Nothing is known of that time. What the agent does now: tributary status\n');
    return sections.join('\n');
  }
  sections.push(renderTotals(stats), renderHours(stats, now));
  sections.push(
    renderTable(toDayColumns(rows), rows, columns),
    renderReasons(stats, columns),
    renderConsumers(stats, columns),
  );
  return sections.filter((section) => section !== '').join('\n');
}

function renderTitle({ name, clientId, askedHours, windowHours, createdAt }: DeviceStats, now: Date): string {
  const title = name === null ? clientId : `${name}, ${clientId}`;
  const window = windowHours === null ? 'A window that the service does not name' : `Last ${formatWindow(windowHours)}`;
  const asked = windowHours === askedHours ? '' : ` (asked for: ${formatWindow(askedHours)})`;
  return `${toPlainText(title)}\n${window}${asked}, as of ${formatMoment(createdAt ?? now.toISOString())}\n`;
}

function renderTotals({ totals }: DeviceStats): string {
  const share = totals.uptimeShare === null ? '' : ` (${formatShare(totals.uptimeShare)})`;
  return [
    ['Uptime', `${formatHours(totals.uptimeHours)}${share}`],
    ['Transfer', formatGib(totals.transferGib)],
    ['Payout', formatUsdc(totals.payoutUsdc)],
    ['Contracts', formatCount(totals.contracts)],
    ['Searches', formatCount(totals.searchInterest)],
  ]
    .map(([label = '', value]) => `${label.padEnd(11)}${value}\n`)
    .join('');
}

/** Uptime of each hour of a short window, a blank where nothing is known; '' for a long one. */
function renderHours({ hours, windowHours, createdAt }: DeviceStats, now: Date): string {
  if (hours.length === 0 || windowHours === null || windowHours > mostHours) return '';
  const endMs = Date.parse(createdAt ?? '') || now.getTime();
  const startMs = Math.floor(endMs / hourMs) * hourMs - (windowHours - 1) * hourMs;
  const minutes = new Map(hours.map((hour) => [Date.parse(hour.startAt), hour.uptimeMinutes]));
  const values = Array.from({ length: windowHours }, (_, index) => minutes.get(startMs + index * hourMs));
  const since = formatMoment(new Date(startMs).toISOString());
  return `Uptime by hour since ${since}\n${renderSparkline(values, 60)}\n`;
}

/** A day of the service, with the same day as it was counted here where that is known. */
interface Row extends DayStats {
  readonly here: HereDay | undefined;
}

const unknownDay = {
  uptimeHours: null,
  transferGib: null,
  payoutUsdc: null,
  searchInterest: null,
  contracts: null,
  consumers: null,
} as const;

/** Also days of which the service says nothing any more. */
function toRows({ days, here }: DeviceStats): readonly Row[] {
  const byDay = new Map(days.map((day) => [day.day, day]));
  const hereByDay = new Map(here?.days.map((day) => [day.day, day]));
  return [...new Set([...byDay.keys(), ...hereByDay.keys()])]
    .toSorted()
    .map((day) => ({ ...(byDay.get(day) ?? { day, ...unknownDay }), here: hereByDay.get(day) }));
}

function renderReasons({ here }: DeviceStats, columns: number | undefined): string {
  return (here?.reasons ?? []).map((reason) => renderText(hereReasons[reason], columns)).join('');
}

/** A figure of a day as a number and a bar. */
interface Figure {
  readonly title: string;
  readonly read: (day: DayStats) => number | null;
  readonly format: (value: number | null) => string;
  /** What a whole bar stands for; undefined: the largest of the days. */
  readonly most?: number;
  readonly barDropOrder: number;
  readonly dropOrder?: number;
  readonly here?: {
    /** The same as it was counted here, and the difference. */
    readonly read: (day: HereDay) => readonly [number, number | null];
    readonly dropOrder: number;
  };
}

const figures: readonly Figure[] = [
  {
    title: 'Uptime',
    read: ({ uptimeHours }) => uptimeHours,
    format: formatHours,
    most: 24,
    barDropOrder: 5,
    here: { read: (day) => [day.providingHours, day.uptimeDifference], dropOrder: 0.3 },
  },
  {
    title: 'Transfer',
    read: ({ transferGib }) => transferGib,
    format: formatGib,
    barDropOrder: 3,
    here: { read: (day) => [day.transferGib, day.transferDifference], dropOrder: 0.1 },
  },
  { title: 'Payout', read: ({ payoutUsdc }) => payoutUsdc, format: formatUsdc, barDropOrder: 6, dropOrder: 0.5 },
  { title: 'Contracts', read: ({ contracts }) => contracts, format: formatCount, barDropOrder: 7, dropOrder: 1 },
  { title: 'Consumers', read: ({ consumers }) => consumers, format: formatCount, barDropOrder: 8, dropOrder: 2 },
];

function toDayColumns(days: readonly Row[]): readonly Column<Row>[] {
  return [
    { title: 'Day', read: ({ day }) => day, least: 10 },
    ...figures.flatMap((figure) => toFigureColumns(figure, days)),
    { title: 'Searches', read: ({ searchInterest }) => formatCount(searchInterest), align: 'right', dropOrder: 4 },
  ];
}

function toFigureColumns(figure: Figure, days: readonly Row[]): readonly Column<Row>[] {
  const { title, read, format, barDropOrder, dropOrder } = figure;
  const most = figure.most ?? days.reduce((largest, day) => Math.max(largest, read(day) ?? 0), 0);
  return [
    { title, read: (day) => format(read(day)), align: 'right', ...(dropOrder === undefined ? {} : { dropOrder }) },
    { title: '', read: (day) => renderBar(read(day) ?? 0, most, barWidth), dropOrder: barDropOrder },
    ...(days.some(({ here }) => here !== undefined) ? toHereColumns(figure) : []),
  ];
}

function toHereColumns({ here, format }: Figure): readonly Column<Row>[] {
  if (here === undefined) return [];
  const { read, dropOrder } = here;
  const show = (row: Row, index: 0 | 1, toText: (value: number | null) => string) =>
    row.here === undefined ? unknown : toText(read(row.here)[index]);
  return [
    { title: 'Here', read: (row) => show(row, 0, format), align: 'right', dropOrder },
    { title: 'Diff', read: (row) => show(row, 1, formatDifference), align: 'right', dropOrder: dropOrder + 0.1 },
  ];
}

/** Of the service against here: `-3.1 %`. */
function formatDifference(share: number | null): string {
  if (share === null) return unknown;
  const text = formatShare(Math.abs(share));
  return Math.abs(share) < 0.0005 ? '0 %' : `${share < 0 ? '-' : '+'}${text}`;
}

function renderConsumers({ consumers }: DeviceStats, columns: number | undefined): string {
  const most = consumers.reduce((largest, { transferGib }) => Math.max(largest, transferGib ?? 0), 0);
  const layout: readonly Column<DeviceStats['consumers'][number]>[] = [
    { title: 'Consumer', read: ({ clientId }) => clientId ?? unknown, least: 8, isId: true },
    { title: 'Transfer', read: ({ transferGib }) => formatGib(transferGib), align: 'right' },
    { title: '', read: ({ transferGib }) => renderBar(transferGib ?? 0, most, barWidth), dropOrder: 1 },
    { title: 'Days', read: ({ days }) => formatCount(days.length), align: 'right' },
  ];
  const more = consumers.length - mostConsumers;
  const note = more > 0 ? `and ${formatCount(more)} more: --json has them all\n` : '';
  return `${renderTable(layout, consumers.slice(0, mostConsumers), columns)}${note}`;
}
