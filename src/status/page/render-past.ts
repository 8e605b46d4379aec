import { formatBytes, formatSeconds, formatUsdc } from '../../lib/units.ts';
import type { HistoryRow } from '../../report/history.ts';
import { renderChart } from './chart.ts';
import {
  type Comparison,
  compareSlots,
  describeDifference,
  describeServiceCount,
  type Figure,
  pickTransfer,
  pickUptime,
} from './figures.ts';
import { type Html, html, renderMoment } from './html.ts';
import type { Slot } from './slots.ts';
import type { PastView, View } from './view.ts';

/** Said where the service may have counted, but not by the hour. */
const byTheDay = 'The service counts bytes by the day.';

/** Today, this month, and what is left of the cap. */
export function renderUsage({ document, past, now, clock }: View): Html {
  const { usage } = document;
  return html`<section aria-labelledby="usage-title">
<h2 id="usage-title">Traffic</h2>
<dl class="cards" id="live-usage" data-live>
${past && renderCard('Today', past.today, byTheDay)}
${past && renderCard('This month', past.month)}
<div><dt>${usage.capBytes === null ? `Since ${usage.periodStart === null ? 'the start' : clock.formatDay(new Date(usage.periodStart))}` : 'Against the cap'}</dt>
<dd>${usage.capBytes === null ? html`<span class="number">${formatBytes(usage.bytes)}</span> <span class="note">no cap is set</span>` : renderCap(usage.bytes, usage.capBytes, usage.resetsAt === null ? undefined : renderMoment(new Date(usage.resetsAt), { clock, now }))}</dd></div>
</dl>
</section>`;
}

function renderCard(title: string, comparison: Comparison, unsaid?: string): Html {
  return html`<div><dt>${title}</dt><dd><span class="number">${formatBytes(comparison.here)}</span> <span class="note">${describeServiceCount(comparison, formatBytes, unsaid)}</span></dd></div>`;
}

function renderCap(bytes: number, capBytes: number, reset: Html | undefined): Html {
  const percent = capBytes === 0 ? 100 : Math.floor((bytes / capBytes) * 100);
  const left = formatBytes(Math.max(0, capBytes - bytes));
  return html`<span class="number">${percent} %</span> <progress aria-label="Used of the data cap" max="100" value="${Math.min(100, percent)}"></progress>
<span class="note">${formatBytes(bytes)} of ${formatBytes(capBytes)}, ${left} left${reset && html`; begins anew ${reset}`}</span>`;
}

/** Uptime and transfer by hour and by day, the service's count beside ours. */
export function renderHistory(view: View): Html {
  return html`<section aria-labelledby="history-title">
<h2 id="history-title">Uptime and transfer</h2>
<p id="live-service" data-live>The service's own figures of the last 24 hours: ${describeServiceFigures(view).join(', ') || 'not read yet'}.</p>
${view.past === undefined ? html`<p>Hours and days are kept by the ledger, which is off or has nothing yet (<code>report.ledger</code>).</p>` : renderPeriods(view.past, view)}
</section>`;
}

function describeServiceFigures({ serviceFigures }: View): readonly string[] {
  const here = serviceFigures?.hereBytes;
  return [
    formatKnown(serviceFigures?.uptimeSeconds, (seconds) => `connected for ${formatSeconds(seconds)}`),
    formatKnown(
      serviceFigures?.transferredBytes,
      (bytes) =>
        `${formatBytes(bytes)} transferred${here === undefined ? '' : ` (here ${formatBytes(here)}: ${describeDifference(here, bytes)})`}`,
    ),
    formatKnown(serviceFigures?.consumers, (count) => `${count} ${count === 1 ? 'consumer' : 'consumers'}`),
    formatKnown(serviceFigures?.payoutUsdc, formatUsdc),
  ].filter((part) => part !== '');
}

interface Period {
  readonly id: string;
  readonly title: string;
  readonly slots: readonly Slot[];
  readonly formatLabel: (time: Date) => string;
  /** Said where the service told no bytes. */
  readonly unsaid?: string;
}

function renderPeriods({ hours, days }: PastView, { now, clock }: View): Html {
  const midnight = clock.formatClock(new Date(`${now.toISOString().slice(0, 10)}T00:00:00Z`));
  return html`<p class="legend"><span class="key-here" aria-hidden="true"></span> bar: counted here <span class="key-service" aria-hidden="true"></span> line: counted by the service</p>
${renderPeriod({ id: 'hours', title: 'Last 24 hours', slots: hours, formatLabel: clock.formatClock, unsaid: byTheDay })}
${renderPeriod({ id: 'days', title: 'Last 30 days', slots: days, formatLabel: clock.formatDay })}
${midnight === '00:00' ? undefined : html`<p class="note">Days are counted by UTC, as the service counts them: from ${midnight} to ${midnight}.</p>`}`;
}

function renderPeriod({ id, title, slots, formatLabel, unsaid }: Period): Html {
  const bars = (pickFigure: (row: HistoryRow) => Figure) =>
    slots.map(({ startMs, row }) => ({ label: formatLabel(new Date(startMs)), figure: row && pickFigure(row) }));
  const transfer = bars(pickTransfer);
  const mostBytes = Math.max(1, ...transfer.flatMap(({ figure }) => [figure?.here ?? 0, figure?.service ?? 0]));
  const mostSeconds = Math.max(1, ...slots.map(({ seconds }) => seconds));
  return html`<h3>${title}</h3>
<div class="charts" id="live-${id}" data-live>
${renderChart({ title: 'Transfer', bars: transfer, most: mostBytes, format: formatBytes, summary: describeSums(compareSlots(slots, pickTransfer), formatBytes, unsaid) })}
${renderChart({ title: 'Providing', bars: bars(pickUptime), most: mostSeconds, format: formatSeconds, summary: describeSums(compareSlots(slots, pickUptime), formatSeconds) })}
</div>
<details><summary>${title} as a table</summary>
<div class="wide" tabindex="0" role="region" aria-label="${title} as a table"><table id="live-${id}-table" data-live>
<thead><tr><th scope="col">From</th><th scope="col">Up</th><th scope="col">Down</th><th scope="col">The service's count</th><th scope="col">Difference</th><th scope="col">Providing</th><th scope="col">Online by the service</th><th scope="col">Refused packets</th></tr></thead>
<tbody>${slots.toReversed().map((slot) => renderRow(slot, formatLabel))}</tbody>
</table></div></details>`;
}

/** Our sum, and how far the service's is from it. */
function describeSums(comparison: Comparison, format: (value: number) => string, unsaid?: string): string {
  return `${format(comparison.here)} here. ${describeServiceCount(comparison, format, unsaid)}`;
}

function renderRow({ startMs, row, isWhole }: Slot, formatLabel: (time: Date) => string): Html {
  const time = new Date(startMs);
  const label = html`<th scope="row"><time datetime="${time.toISOString()}">${formatLabel(time)}</time></th>`;
  if (row === undefined) return html`<tr>${label}<td colspan="7">nothing was kept</td></tr>\n`;
  const { serviceBytes, serviceOnlineSeconds } = row;
  const difference = formatKnown(serviceBytes, (bytes) => describeDifference(row.upBytes + row.downBytes, bytes));
  const cells = [
    formatBytes(row.upBytes),
    formatBytes(row.downBytes),
    formatKnown(serviceBytes, formatBytes) || 'not said',
    difference === '' ? 'not said' : isWhole ? difference : 'not over yet',
    formatSeconds(row.providingSeconds),
    formatKnown(serviceOnlineSeconds, formatSeconds) || 'not said',
    String(row.refusedPackets),
  ];
  return html`<tr>${label}${cells.map((cell) => html`<td>${cell}</td>`)}</tr>\n`;
}

function formatKnown(value: number | undefined, format: (value: number) => string): string {
  return value === undefined ? '' : format(value);
}
