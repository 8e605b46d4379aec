import { formatValue } from '../../health/statistic.ts';
import { renderBar, renderSparkline } from '../../lib/bars.ts';
import { formatBytes, formatSeconds } from '../../lib/units.ts';
import { addFigures, type FigureName, type Figures, ledgerFigures } from '../../report/ledger-figures.ts';
import { formatBitrate, formatMoment, formatShare, formatUsdc, unknown } from '../present/amounts.ts';
import { squeeze } from '../present/squeeze.ts';
import { type Column, renderTable } from '../present/table.ts';
import { renderText } from '../present/text.ts';
import type { Paper } from '../service-command.ts';
import type { LocalDay, LocalStats } from './local-view.ts';
import { formatWindow, sumKnown } from './window.ts';

const hourMs = 3_600_000;
/** Beyond so many days a row is a month. */
const mostDays = 90;
const barWidth = 6;
const widestPlot = 84;
/** Which columns a narrow terminal is shown without, the highest first; those that are not named go before all others. */
const dropOrders: Readonly<Partial<Record<FigureName, number>>> = {
  upBytes: 8,
  downBytes: 9,
  refusedPackets: 2,
  peakBytesPerSecond: 6,
};

/** Sums, the hours where they are few, and a row a day; a row a month of a long time. */
export function renderLocalStats(stats: LocalStats, { columns, now }: Paper): string {
  const title = renderTitle(stats, columns, now);
  if (stats.days.length === 0) {
    return `${title}\nNothing was counted here in that time. What the agent does now: tributary status\n`;
  }
  const isLong = stats.askedHours > mostDays * 24;
  const rows = isLong ? toMonths(stats.days) : stats.days.map(toDayRow);
  const sections = [
    title,
    renderTotals(stats),
    renderHours(stats, columns, now),
    renderTable(toColumns(rows), rows, columns),
  ];
  return sections.filter((section) => section !== '').join('\n');
}

function renderTitle(stats: LocalStats, columns: number | undefined, now: Date): string {
  const { askedHours, serviceProblem, since, countedSince } = stats;
  const isYounger = countedSince !== null && Date.parse(countedSince) > Date.parse(since);
  const lines = [
    'This device, counted here',
    `Last ${formatWindow(askedHours)}, as of ${formatMoment(now.toISOString())}`,
    ...(isYounger ? [`Counted since ${formatMoment(countedSince)}`] : []),
  ];
  const because =
    serviceProblem === null
      ? ''
      : `${renderText('The service cannot be asked, so here is what this device counted itself.', columns)}${renderText(serviceProblem.message, columns)}\n`;
  return `${because}${lines.map((line) => `${line}\n`).join('')}`;
}

function renderTotals({ totals }: LocalStats): string {
  const share = totals.providingShare === null ? '' : ` (${formatShare(totals.providingShare)})`;
  return [
    ['Providing', `${formatSeconds(totals.providingSeconds)}${share}`],
    ['Transfer', formatBytes(totals.upBytes + totals.downBytes)],
    ['  up', formatBytes(totals.upBytes)],
    ['  down', formatBytes(totals.downBytes)],
    ['Peak', formatBitrate(totals.peakBytesPerSecond)],
    ['Refused', `${totals.refusedPackets} packets`],
    ...ledgerFigures
      .filter(({ name }) => name !== 'providingSeconds' && dropOrders[name] === undefined)
      .map(({ name, title, unit }) => [title, formatValue(totals[name], unit)]),
  ]
    .map(([label = '', value]) => `${label.padEnd(10)} ${value}\n`)
    .join('');
}

/** Transfer of each hour, a blank where no agent ran. */
function renderHours({ hours, since }: LocalStats, columns: number | undefined, now: Date): string {
  if (hours.length === 0) return '';
  const startMs = Date.parse(since);
  const byStart = new Map(hours.map((hour) => [Date.parse(hour.startAt), toTransfer(hour)]));
  const slots = Math.floor((now.getTime() - startMs) / hourMs) + 1;
  const values = Array.from({ length: slots }, (_, index) => byStart.get(startMs + index * hourMs));
  const plotted = squeeze(values, Math.min(columns ?? widestPlot, widestPlot));
  const most = plotted.reduce<number>((largest, value) => Math.max(largest, value ?? 0), 0);
  return `Transfer by hour since ${formatMoment(since)}\n${renderSparkline(plotted, most).trimEnd()}\n`;
}

/** A day or a month. */
interface Row {
  readonly name: string;
  readonly figures: Figures;
  readonly seconds: number;
  readonly service: LocalDay['service'];
}

function toDayRow({ day, service, ...figures }: LocalDay): Row {
  return { name: day, figures, seconds: 86_400, service };
}

function toMonths(days: readonly LocalDay[]): readonly Row[] {
  const months = new Map<string, Row>();
  for (const own of days) {
    const name = own.day.slice(0, 7);
    const row = toDayRow(own);
    const before = months.get(name);
    months.set(name, before === undefined ? { ...row, name, seconds: toMonthSeconds(name) } : addRow(before, row));
  }
  return [...months.values()];
}

function addRow(month: Row, day: Row): Row {
  const sum = (read: (row: Row) => number | null) => sumKnown([read(month), read(day)]);
  return {
    ...month,
    figures: addFigures(month.figures, day.figures),
    service: {
      onlineSeconds: sum(({ service }) => service.onlineSeconds),
      bytes: sum(({ service }) => service.bytes),
      payoutUsdc: sum(({ service }) => service.payoutUsdc),
    },
  };
}

function toMonthSeconds(name: string): number {
  const [year = 0, month = 0] = name.split('-').map(Number);
  return (Date.UTC(year, month) - Date.UTC(year, month - 1)) / 1000;
}

function toColumns(rows: readonly Row[]): readonly Column<Row>[] {
  const most = rows.reduce((largest, { figures }) => Math.max(largest, toTransfer(figures)), 0);
  const isMonths = rows[0]?.name.length === 7;
  return [
    { title: isMonths ? 'Month' : 'Day', read: ({ name }) => name },
    { title: 'Providing', read: ({ figures }) => formatSeconds(figures.providingSeconds), align: 'right' },
    { title: '', read: ({ figures, seconds }) => renderBar(figures.providingSeconds, seconds, barWidth), dropOrder: 7 },
    { title: 'Transfer', read: ({ figures }) => formatBytes(toTransfer(figures)), align: 'right' },
    { title: '', read: ({ figures }) => renderBar(toTransfer(figures), most, barWidth), dropOrder: 1 },
    ...ledgerFigures
      .filter(({ name }) => name !== 'providingSeconds')
      .map(({ name, title, unit }): Column<Row> => {
        const read = (row: Row) => formatValue(row.figures[name], unit);
        return { title, read, align: 'right', dropOrder: dropOrders[name] ?? 10 };
      }),
    ...toServiceColumns(rows),
  ];
}

/** Beside ours, those figures of the service that are known of any row. */
function toServiceColumns(rows: readonly Row[]): readonly Column<Row>[] {
  const format = (value: number | null, toText: (known: number) => string) =>
    value === null ? unknown : toText(value);
  const layout: readonly (Column<Row> & { readonly of: keyof Row['service'] })[] = [
    {
      of: 'onlineSeconds',
      title: 'Service uptime',
      read: ({ service }) => format(service.onlineSeconds, formatSeconds),
      align: 'right',
      dropOrder: 5,
    },
    {
      of: 'bytes',
      title: 'Service transfer',
      read: ({ service }) => format(service.bytes, formatBytes),
      align: 'right',
      dropOrder: 4,
    },
    {
      of: 'payoutUsdc',
      title: 'Payout',
      read: ({ service }) => formatUsdc(service.payoutUsdc),
      align: 'right',
      dropOrder: 3,
    },
  ];
  return layout.filter(({ of }) => rows.some(({ service }) => service[of] !== null));
}

function toTransfer({ upBytes, downBytes }: Figures): number {
  return upBytes + downBytes;
}
