import { formatValue } from '../../../health/statistic.ts';
import { renderSparkline } from '../../../lib/bars.ts';
import { formatBytes, formatSeconds, hourMs } from '../../../lib/units.ts';
import { type FigureName, type Figures, ledgerFigures } from '../../../report/ledger-figures.ts';
import { layOutCarried } from '../../../status/describe-market.ts';
import type { Shown } from '../../frame/command.ts';
import type { Terminal } from '../../frame/context.ts';
import {
  formatBitrate,
  formatMoment,
  formatShareBehind,
  formatUsdc,
} from '../../present/amounts.ts';
import type { Column } from '../../present/table-printer.ts';
import { defineTable } from '../../present/tables.ts';
import { joinLines, joinSections, renderLabelled, renderText } from '../../present/text.ts';
import { formatWindow, squeeze } from './figures.ts';
import { type LocalDay, type LocalStats, sumBy } from './local-view.ts';

/** For more days than this, a row is a month. */
const mostDays = 90;
const barWidth = 6;
const widestPlot = 84;
/**
 * The order in which a narrow terminal drops columns, the highest number first. Columns without a
 * number are dropped before them.
 */
const dropOrders: Readonly<Partial<Record<FigureName, number>>> = {
  upBytes: 8,
  downBytes: 9,
  refusedPackets: 2,
  peakBytesPerSecond: 6,
};

/** A row for each day, or for each month of a long time. */
export function listLocal(stats: LocalStats) {
  const isLong = stats.askedHours > mostDays * 24;
  const shown = isLong ? sumBy(stats.days, ({ day }) => day.slice(0, 7)) : stats.days;
  const rows = shown.map((own) => ({ ...own, seconds: isLong ? countSeconds(own.day) : 86_400 }));
  return defineTable(rows, [
    { title: isLong ? 'Month' : 'Day', read: ({ day }) => day },
    {
      title: 'Providing',
      read: ({ providingSeconds }) => providingSeconds,
      format: formatSeconds,
      align: 'right',
    },
    {
      bar: ({ providingSeconds, seconds }) => providingSeconds / seconds,
      most: 1,
      width: barWidth,
      dropOrder: 7,
    },
    { title: 'Transfer', read: sumTransfer, format: formatBytes, align: 'right' },
    { bar: sumTransfer, width: barWidth, dropOrder: 1 },
    ...listFigureColumns(),
  ]);
}

/** The sums, the hours if they are few, and the table. */
export function renderLocalStats(stats: LocalStats, shown: Shown): string {
  const title = renderTitle(stats, shown);
  if (stats.days.length === 0) {
    return `${title}\nNo figures for that time. What the agent is doing: tributary status\n`;
  }
  return joinSections([
    title,
    renderTotals(stats),
    renderCarried(stats, shown.columns),
    renderHours(stats, shown),
    shown.tables.days,
  ]);
}

function renderTitle(
  { askedHours, serviceProblem, since, countedSince }: LocalStats,
  terminal: Terminal,
): string {
  const isYounger = countedSince !== undefined && Date.parse(countedSince) > Date.parse(since);
  const explain = (text: string) => renderText(text, terminal.columns);
  const because = 'No figures from the service, so this is what this device counted itself.';
  return joinLines([
    serviceProblem && `${explain(because)}${explain(serviceProblem.message)}`,
    "This device's own count",
    `Last ${formatWindow(askedHours)}, as of ${formatMoment(terminal.now().toISOString())}`,
    isYounger && `Counted since ${formatMoment(countedSince)}`,
  ]);
}

function renderTotals({ totals }: LocalStats): string {
  return renderLabelled({
    Providing: `${formatSeconds(totals.providingSeconds)}${formatShareBehind(totals.providingShare)}`,
    Transfer: formatBytes(sumTransfer(totals)),
    '  up': formatBytes(totals.upBytes),
    '  down': formatBytes(totals.downBytes),
    Peak: formatBitrate(totals.peakBytesPerSecond),
    Refused: `${totals.refusedPackets} packets`,
    ...Object.fromEntries(
      ledgerFigures
        .filter(({ name }) => name !== 'providingSeconds' && dropOrders[name] === undefined)
        .map(({ name, title, unit }) => [title, formatValue(totals[name] ?? 0, unit)]),
    ),
  });
}

function renderCarried({ carried }: LocalStats, columns: number | undefined): string {
  if (carried === undefined) return '';
  const since = carried.countedSince;
  const title = `By the network's own protocol${since === undefined ? '' : `, since ${formatMoment(since)}`}`;
  return `${renderText(title, columns)}${joinLines(layOutCarried(carried, ''))}`;
}

function renderHours({ hours, since }: LocalStats, { columns, now }: Terminal): string {
  if (hours.length === 0) return '';
  const startMs = Date.parse(since);
  const byStart = new Map(hours.map((hour) => [Date.parse(hour.startAt), sumTransfer(hour)]));
  const slots = Math.floor((now().getTime() - startMs) / hourMs) + 1;
  const values = Array.from({ length: slots }, (_, index) => byStart.get(startMs + index * hourMs));
  const plotted = squeeze(values, Math.min(columns ?? widestPlot, widestPlot));
  const most = Math.max(0, ...plotted.map((value) => value ?? 0));
  return `Transfer by hour since ${formatMoment(since)}\n${renderSparkline(plotted, most).trimEnd()}\n`;
}

function countSeconds(month: string): number {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return (Date.UTC(year, number) - Date.UTC(year, number - 1)) / 1000;
}

const serviceFigures = [
  { title: 'Service uptime', name: 'onlineSeconds', format: formatSeconds, dropOrder: 5 },
  { title: 'Service transfer', name: 'bytes', format: formatBytes, dropOrder: 4 },
  { title: 'Payout', name: 'payoutUsdc', format: formatUsdc, dropOrder: 3 },
] as const;

function listFigureColumns(): readonly Column<LocalDay>[] {
  const kept = ledgerFigures.filter(({ name }) => name !== 'providingSeconds');
  return [
    ...kept.map(({ name, title, unit }) => {
      const format =
        name === 'peakBytesPerSecond' ? formatBitrate : (own: number) => formatValue(own, unit);
      const read = (row: LocalDay) => row[name];
      return { title, read, format, align: 'right' as const, dropOrder: dropOrders[name] ?? 10 };
    }),
    ...serviceFigures.map(({ title, name, format, dropOrder }) => {
      const read = ({ service }: LocalDay) => service[name];
      return { title, read, format, align: 'right' as const, isOptional: true, dropOrder };
    }),
  ];
}

function sumTransfer({ upBytes, downBytes }: Pick<Figures, 'upBytes' | 'downBytes'>): number {
  return upBytes + downBytes;
}
