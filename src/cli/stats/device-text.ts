import { renderSparkline } from '../../lib/bars.ts';
import { toPlainText } from '../../lib/plain-text.ts';
import type { Terminal } from '../context.ts';
import {
  formatCount,
  formatGib,
  formatHours,
  formatMoment,
  formatShare,
  formatShareBehind,
  formatUsdc,
  unknown,
} from '../present/amounts.ts';
import { joinSections, renderLabelled, renderTable, renderText } from '../present/text.ts';
import { type DeviceStats, type HereDay, hereReasons } from './device-view.ts';
import { formatWindow, hourMs, startOfHour } from './figures.ts';

/** One character an hour says something up to here. */
const mostHours = 48;
const mostConsumers = 20;
const barWidth = 6;

/** Sums, the hours where they are few, a row a day, and who it was given to. */
export async function renderDeviceStats(stats: DeviceStats, terminal: Terminal): Promise<string> {
  const { totals, here } = stats;
  // Of a day either may know nothing.
  const byDay = new Map(stats.days.map((day) => [day.day, day]));
  const hereByDay = new Map(here?.days.map((day) => [day.day, day]));
  const days = [...new Set([...byDay.keys(), ...hereByDay.keys()])].toSorted();
  const rows = days.map((day) => ({ ...byDay.get(day), day, here: hereByDay.get(day) }));
  const title = renderTitle(stats, terminal);
  if (rows.length === 0) {
    return `${title}\nNothing is known of that time. What the agent does now: tributary status\n`;
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
    renderHours(stats, terminal),
    await renderTable(rows, terminal, [
      { title: 'Day', read: ({ day }) => day, least: 10 },
      { title: 'Uptime', read: ({ uptimeHours }) => formatHours(uptimeHours), align: 'right' },
      { bar: ({ uptimeHours }) => uptimeHours, most: 24, width: barWidth, dropOrder: 5 },
      ...createHereColumns((here) => [formatHours(here.providingHours), here.uptimeDifference], 0.3),
      { title: 'Transfer', read: ({ transferGib }) => formatGib(transferGib), align: 'right' },
      { bar: ({ transferGib }) => transferGib, width: barWidth, dropOrder: 3 },
      ...createHereColumns((here) => [formatGib(here.transferGib), here.transferDifference], 0.1),
      { title: 'Payout', read: ({ payoutUsdc }) => formatUsdc(payoutUsdc), align: 'right', dropOrder: 0.5 },
      { bar: ({ payoutUsdc }) => payoutUsdc, width: barWidth, dropOrder: 6 },
      { title: 'Contracts', read: ({ contracts }) => formatCount(contracts), align: 'right', dropOrder: 1 },
      { bar: ({ contracts }) => contracts, width: barWidth, dropOrder: 7 },
      { title: 'Consumers', read: ({ consumers }) => formatCount(consumers), align: 'right', dropOrder: 2 },
      { bar: ({ consumers }) => consumers, width: barWidth, dropOrder: 8 },
      { title: 'Searches', read: ({ searchInterest }) => formatCount(searchInterest), align: 'right', dropOrder: 4 },
    ]),
    (here?.reasons ?? []).map((reason) => renderText(hereReasons[reason], terminal.columns)).join(''),
    await renderConsumers(stats, terminal),
  ]);
}

function renderTitle({ name, clientId, askedHours, windowHours, createdAt }: DeviceStats, { now }: Terminal): string {
  const title = name === undefined ? clientId : `${name}, ${clientId}`;
  const window =
    windowHours === undefined ? 'A window that the service does not name' : `Last ${formatWindow(windowHours)}`;
  const asked = windowHours === askedHours ? '' : ` (asked for: ${formatWindow(askedHours)})`;
  return `${toPlainText(title)}\n${window}${asked}, as of ${formatMoment(createdAt ?? now().toISOString())}\n`;
}

/** Uptime of each hour of a short window, a blank where nothing is known; '' for a long one. */
function renderHours({ hours, windowHours = Infinity, createdAt }: DeviceStats, { now }: Terminal): string {
  if (hours.length === 0 || windowHours > mostHours) return '';
  const startMs = startOfHour(Date.parse(createdAt ?? '') || now().getTime()) - (windowHours - 1) * hourMs;
  const minutes = new Map(hours.map((hour) => [Date.parse(hour.startAt), hour.uptimeMinutes]));
  const values = Array.from({ length: windowHours }, (_, index) => minutes.get(startMs + index * hourMs));
  return `Uptime by hour since ${formatMoment(new Date(startMs).toISOString())}\n${renderSparkline(values, 60)}\n`;
}

type Row = { readonly here: HereDay | undefined };

/** What was counted here, and how far the service's figure is from it; left out where nothing was counted here. */
function createHereColumns(read: (here: HereDay) => readonly [string, number | undefined], dropOrder: number) {
  const shared = { align: 'right', isOptional: true } as const;
  const readDifference = ({ here }: Row) => here && formatDifference(read(here)[1]);
  return [
    { ...shared, title: 'Here', read: ({ here }: Row) => here && read(here)[0], dropOrder },
    { ...shared, title: 'Diff', read: readDifference, dropOrder: dropOrder + 0.1 },
  ];
}

/** The service's figure compared with the one counted here: `-3.1 %`. */
function formatDifference(share: number | undefined): string {
  if (share === undefined) return unknown;
  const text = formatShare(Math.abs(share));
  return Math.abs(share) < 0.0005 ? '0 %' : `${share < 0 ? '-' : '+'}${text}`;
}

async function renderConsumers({ consumers }: DeviceStats, terminal: Terminal): Promise<string> {
  const more = consumers.length - mostConsumers;
  const note = more > 0 ? `and ${formatCount(more)} more: --json has them all\n` : '';
  const table = await renderTable(consumers.slice(0, mostConsumers), terminal, [
    { title: 'Consumer', read: ({ clientId }) => clientId, least: 8, isId: true },
    { title: 'Transfer', read: ({ transferGib }) => formatGib(transferGib), align: 'right' },
    { bar: ({ transferGib }) => transferGib, width: barWidth, dropOrder: 1 },
    { title: 'Days', read: ({ days }) => formatCount(days.length), align: 'right' },
  ]);
  return `${table}${note}`;
}
