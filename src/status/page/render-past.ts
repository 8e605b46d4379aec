import { formatBytes, formatSeconds } from '../../lib/units.ts';
import { renderChart, toServiceWords } from './chart.ts';
import { type Comparison, type Figure, toComparison, toDifference, toTransfer, toUptime } from './figures.ts';
import { type Html, html } from './html.ts';
import type { Slot } from './slots.ts';
import type { PastView, View } from './view.ts';
import { toClock, toDay, toMoment } from './words.ts';

/** Today, this month, and what is left of the cap. */
export function renderUsage({ document, past, now }: View): Html {
  const { usage } = document;
  return html`<section aria-labelledby="usage-title">
<h2 id="usage-title">Traffic</h2>
<dl class="cards" id="live-usage" data-live>
${past && renderCard('Today', past.today)}
${past && renderCard('This month', past.month)}
<div><dt>${usage.capBytes === null ? `Since ${usage.periodStart === null ? 'the start' : toDay(new Date(usage.periodStart))}` : 'Against the cap'}</dt>
<dd>${usage.capBytes === null ? html`<span class="number">${formatBytes(usage.bytes)}</span> <span class="note">no cap is set</span>` : renderCap(usage.bytes, usage.capBytes, usage.resetsAt, now)}</dd></div>
</dl>
</section>`;
}

function renderCard(title: string, comparison: Comparison): Html {
  return html`<div><dt>${title}</dt><dd><span class="number">${formatBytes(comparison.here)}</span> <span class="note">${toServiceWords(comparison, formatBytes)}</span></dd></div>`;
}

function renderCap(bytes: number, capBytes: number, resetsAt: string | null, now: Date): Html {
  const percent = capBytes === 0 ? 100 : Math.floor((bytes / capBytes) * 100);
  const left = formatBytes(Math.max(0, capBytes - bytes));
  return html`<span class="number">${percent} %</span> <progress aria-label="Used of the data cap" max="100" value="${Math.min(100, percent)}"></progress>
<span class="note">${formatBytes(bytes)} of ${formatBytes(capBytes)}, ${left} left${resetsAt === null ? '' : `; begins anew ${toMoment(new Date(resetsAt), now)}`}</span>`;
}

/** Uptime and transfer by hour and by day, the service's count beside ours. */
export function renderHistory({ past, serviceFigures }: View): Html {
  const service = [
    toPart(serviceFigures?.uptimeSeconds, (seconds) => `connected for ${formatSeconds(seconds)}`),
    toPart(serviceFigures?.transferredBytes, (bytes) => `${formatBytes(bytes)} transferred`),
    toPart(serviceFigures?.consumers, (count) => `${count} ${count === 1 ? 'consumer' : 'consumers'}`),
    toPart(serviceFigures?.payoutUsdc, (usdc) => `${usdc} USDC`),
  ].filter((part) => part !== '');
  return html`<section aria-labelledby="history-title">
<h2 id="history-title">Uptime and transfer</h2>
<p id="live-service" data-live>The service's own figures of the last 24 hours: ${service.length === 0 ? 'not read yet' : service.join(', ')}.</p>
${past === undefined ? html`<p>Hours and days are kept by the ledger, which is off or has nothing yet (<code>report.ledger</code>).</p>` : renderPeriods(past)}
</section>`;
}

function renderPeriods({ hours, days }: PastView): Html {
  return html`<p class="legend"><span class="key-here" aria-hidden="true"></span> bar: counted here <span class="key-service" aria-hidden="true"></span> line: counted by the service</p>
${renderPeriod('hours', 'Last 24 hours', hours, toClock)}
${renderPeriod('days', 'Last 30 days', days, toDay)}`;
}

function renderPeriod(id: string, title: string, slots: readonly Slot[], toLabel: (time: Date) => string): Html {
  const bars = (toFigure: (row: NonNullable<Slot['row']>) => Figure) =>
    slots.map(({ startMs, row }) => ({ label: toLabel(new Date(startMs)), figure: row && toFigure(row) }));
  const compare = (toFigure: (row: NonNullable<Slot['row']>) => Figure) =>
    toComparison(slots.flatMap(({ row }) => (row === undefined ? [] : toFigure(row))));
  const transfer = bars(toTransfer);
  const mostBytes = Math.max(1, ...transfer.flatMap(({ figure }) => [figure?.here ?? 0, figure?.service ?? 0]));
  const mostSeconds = Math.max(1, ...slots.map(({ seconds }) => seconds));
  return html`<h3>${title}</h3>
<div class="charts" id="live-${id}" data-live>
${renderChart({ title: 'Transfer', bars: transfer, most: mostBytes, format: formatBytes, comparison: compare(toTransfer) })}
${renderChart({ title: 'Providing', bars: bars(toUptime), most: mostSeconds, format: formatSeconds, comparison: compare(toUptime) })}
</div>
<details><summary>${title} as a table</summary>
<div class="wide" tabindex="0" role="region" aria-label="${title} as a table"><table id="live-${id}-table" data-live>
<thead><tr><th scope="col">From</th><th scope="col">Up</th><th scope="col">Down</th><th scope="col">The service's count</th><th scope="col">Difference</th><th scope="col">Providing</th><th scope="col">Online by the service</th><th scope="col">Refused packets</th></tr></thead>
<tbody>${slots.toReversed().map((slot) => renderRow(slot, toLabel))}</tbody>
</table></div></details>`;
}

function renderRow({ startMs, row }: Slot, toLabel: (time: Date) => string): Html {
  const time = new Date(startMs);
  const label = html`<th scope="row"><time datetime="${time.toISOString()}">${toLabel(time)}</time></th>`;
  if (row === undefined) return html`<tr>${label}<td colspan="7">nothing was kept</td></tr>\n`;
  const { serviceBytes, serviceOnlineSeconds } = row;
  const difference = toPart(serviceBytes, (bytes) => toDifference(row.upBytes + row.downBytes, bytes));
  const cells = [
    formatBytes(row.upBytes),
    formatBytes(row.downBytes),
    toPart(serviceBytes, formatBytes) || 'not said',
    difference || 'not said',
    formatSeconds(row.providingSeconds),
    toPart(serviceOnlineSeconds, formatSeconds) || 'not said',
    String(row.refusedPackets),
  ];
  return html`<tr>${label}${cells.map((cell) => html`<td>${cell}</td>`)}</tr>\n`;
}

function toPart(value: number | undefined, format: (value: number) => string): string {
  return value === undefined ? '' : format(value);
}
