import { formatBytes, formatSeconds } from '../../lib/units.ts';
import type { HistoryRow } from '../../report/history.ts';
import { type Bar, renderBars, renderStrip } from './chart.ts';
import {
  compareSlots,
  describeDifference,
  describeServiceCount,
  pickTransfer,
  pickUptime,
} from './figures.ts';
import { type Html, html } from './html.ts';
import { formatCount } from './render-numbers.ts';
import { type ChartName, chartNames, chartSpans, type Slot } from './slots.ts';
import type { View } from './view.ts';

type KeptSlot = Slot & { readonly row: HistoryRow };

/** What a range shows; undefined where nothing was kept, or too little for a chart. */
function findRange({ past, clock, serviceFigures }: View, name: ChartName) {
  if (past === undefined) return undefined;
  const { [name]: all, youngSince } = past;
  const isYoung = youngSince !== undefined;
  const kept = all.flatMap((slot): KeptSlot[] =>
    slot.row === undefined ? [] : [{ ...slot, row: slot.row }],
  );
  if (name === 'hours' ? kept.length === 0 : isYoung || kept.length < 2) return undefined;
  return {
    name,
    ...chartSpans[name],
    kept,
    slots: isYoung ? all.slice(all.findIndex(({ row }) => row !== undefined)) : all,
    formatLabel: { hours: clock.formatClock, days: clock.formatDay, months: clock.formatMonth }[
      name
    ],
    /** The words where the service reported no bytes. */
    unsaid: name === 'hours' ? describeDayByService(serviceFigures) : '',
  };
}

/**
 * The service reports no bytes by the hour, but it does for the last 24 hours, and for these our
 * own count is known.
 */
function describeDayByService(figures: View['serviceFigures']): string {
  const { transferredBytes: service, hereBytes: here, consumers } = figures ?? {};
  if (service === undefined || here === undefined) return 'The service counts bytes by the day.';
  const who = formatKnown(
    consumers,
    (count) => ` It served ${count} ${count === 1 ? 'consumer' : 'consumers'}.`,
  );
  return `${describeServiceCount({ here, both: { here, service } })}${who}`;
}

/** Shows day by day how much of it the device provided. */
export function renderUptime(view: View): Html {
  const range = findRange(view, 'days');
  if (range === undefined) return html``;
  const { slots, kept, formatLabel } = range;
  const uptime = compareSlots(kept, pickUptime);
  const seconds = kept.reduce((sum, slot) => sum + slot.seconds, 0);
  const here = formatShare(uptime.here, seconds);
  const byService =
    uptime.both && (uptime.here * uptime.both.service) / Math.max(1, uptime.both.here);
  const service = formatKnown(
    byService,
    (known) => ` · ${formatShare(known, seconds)} by the service`,
  );
  const boxes = slots.map(({ row, startMs, seconds: length }) => {
    const label = formatLabel(new Date(startMs));
    if (row === undefined) return { share: undefined, words: `${label}: nothing was kept` };
    const { providingSeconds: provided } = row;
    const words = `${label}: ${formatShare(provided, length)} of the time, ${formatSeconds(provided)}`;
    return { share: Math.min(1, provided / Math.max(1, length)), words };
  });
  return html`<section class="card" aria-labelledby="uptime-title"><h2 id="uptime-title">Providing, last 30 days</h2>
<p class="note said">${here} here${service}</p>
${renderStrip(boxes, `Providing ${here} of the last 30 days`)}
<p class="ends row" aria-hidden="true"><span>${formatLabel(new Date(slots[0]?.startMs ?? 0))}</span><span>today</span></p></section>`;
}

const keys = html`<p class="note"><span class="up" aria-hidden="true">■</span> to the Internet <span class="down" aria-hidden="true">■</span> back to consumers</p>`;

/** The choice among the ranges; a young device has only one. */
export function renderRanges(view: View): Html {
  const { past, clock } = view;
  const since = past?.youngSince;
  const ranges = chartNames.flatMap((name) => findRange(view, name) ?? []);
  if (past === undefined) {
    return html`<h2 id="transfer-title">Transfer</h2><p>Hours and days are kept by the ledger, which is off or cannot be read (<code>report.ledger</code>).</p>`;
  }
  if (since !== undefined && ranges.length === 0)
    return html`<h2 id="transfer-title">Transfer</h2><p>Nothing has been counted yet.</p>`;
  if (since !== undefined) {
    return html`<h2 id="transfer-title">Transfer since ${clock.formatClock(since)}</h2>${keys}`;
  }
  return html`<h2 id="transfer-title">Transfer</h2>${keys}<fieldset class="ranges" aria-label="Range">${ranges.map(
    ({ name, title }, index) =>
      html`<label><input type="radio" name="range" id="range-${name}" ${index === 0 ? 'checked' : ''}>${title}</label>`,
  )}</fieldset>`;
}

/** The bars of one range, and their sum. */
export function renderRange(view: View, name: ChartName): Html {
  const range = findRange(view, name);
  if (range === undefined) return html``;
  const { slots, formatLabel, labels, unsaid } = range;
  const comparison = compareSlots(slots, pickTransfer);
  const sum = `${formatBytes(comparison.here)} here. ${describeServiceCount(comparison, unsaid)}`;
  const bars = slots.map(({ startMs, row }): Bar => {
    const label = formatLabel(new Date(startMs));
    if (row === undefined) return { label, up: 0, down: 0, words: `${label}: nothing was kept` };
    const { upBytes: up, downBytes: down, serviceBytes } = row;
    const service = formatKnown(serviceBytes, (bytes) => `, ${formatBytes(bytes)} by the service`);
    const words = `${label}: ${formatBytes(up)} to the Internet, ${formatBytes(down)} back${service}`;
    return { label, up, down, words };
  });
  const midnight = view.clock.formatClock(
    new Date(`${view.now.toISOString().slice(0, 10)}T00:00:00Z`),
  );
  const byUtc =
    name === 'hours' || midnight === '00:00'
      ? ''
      : ` Days are counted by UTC, as the service counts them: from ${midnight}.`;
  return html`<p class="note said">${sum}${byUtc}</p>
<div class="plot">${renderBars(bars, `Transfer: ${sum}`, labels)}</div>`;
}

const columns: readonly (readonly [title: string, read: (slot: KeptSlot) => string])[] = [
  ['To the Internet', ({ row }) => formatBytes(row.upBytes)],
  ['Back', ({ row }) => formatBytes(row.downBytes)],
  ['By the service', ({ row }) => formatKnown(row.serviceBytes, formatBytes)],
  [
    'Difference',
    ({ isWhole, row }) =>
      isWhole
        ? formatKnown(row.serviceBytes, (bytes) =>
            describeDifference(pickTransfer(row).here, bytes),
          )
        : '',
  ],
  ['Providing', ({ row }) => formatSeconds(row.providingSeconds)],
  ['Online by the service', ({ row }) => formatKnown(row.serviceOnlineSeconds, formatSeconds)],
  ['Refused packets', ({ row }) => formatCount(row.refusedPackets)],
];

/** The chart's figures as a table. A column about which no row says anything is left out. */
export function renderTable(view: View, name: ChartName): Html {
  const range = findRange(view, name);
  if (range === undefined) return html``;
  const rows = range.kept
    .map((slot) => ({ slot, cells: columns.map(([, read]) => read(slot)) }))
    .toReversed();
  const isShown = columns.map((_, column) => rows.some(({ cells }) => cells[column] !== ''));
  const pick = <T>(cells: readonly T[]) => cells.filter((_, column) => isShown[column]);
  return html`<table><thead><tr><th scope="col">From</th>${pick(columns).map(([title]) => html`<th scope="col">${title}</th>`)}</tr></thead>
<tbody>${rows.map(
    ({ slot, cells }) =>
      html`<tr><th scope="row">${range.formatLabel(new Date(slot.startMs))}</th>${pick(cells).map((cell) => html`<td>${cell}</td>`)}</tr>\n`,
  )}</tbody></table>`;
}

function formatShare(part: number, whole: number): string {
  const percent = whole <= 0 ? 0 : Math.min(100, (part / whole) * 100);
  return `${percent === 100 || percent === 0 ? percent : Math.min(99.9, percent).toFixed(1)} %`;
}

function formatKnown(value: number | undefined, format: (value: number) => string): string {
  return value === undefined ? '' : format(value);
}
