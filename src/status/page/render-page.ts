import { createHash } from 'node:crypto';
import { phaseTraits } from '../../health/phase-traits.ts';
import type { Assets } from './assets.ts';
import { isMeasured, renderThroughput } from './chart.ts';
import { type Html, html } from './html.ts';
import { renderDialogs, renderHelp, renderOrders } from './render-controls.ts';
import { renderNumbers } from './render-numbers.ts';
import { renderRange, renderRanges, renderTable, renderUptime } from './render-past.ts';
import { renderConnection, renderEvents, renderRefused } from './render-rest.ts';
import { renderSettings } from './render-settings.ts';
import { describeState, renderState } from './render-state.ts';
import { type ChartName, chartNames, chartSpans } from './slots.ts';
import type { View } from './view.ts';

type Links = {
  readonly [Name in 'style' | 'script' | 'icon' | 'manifest']: Pick<
    Assets[Name],
    'href' | 'integrity'
  >;
} & Pick<Assets, 'nameIcon'>;

/** The whole page. It can be read without a script, which only keeps it fresh and sends orders. */
export function renderPage(view: View, assets: Links): string {
  const { document, now, clock } = view;
  const name = document.client.description ?? 'this device';
  const part = (own: PartName) => renderPart(own, view);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="#f4f6f8" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#10161c" media="(prefers-color-scheme: dark)">
<title id="title">${titlePage(view)}</title>
<link rel="icon" id="icon" href="${assets.nameIcon(phaseTraits[view.document.phase].tone)}">
<link rel="apple-touch-icon" href="${assets.icon.href}">
<link rel="manifest" href="${assets.manifest.href}">
<link rel="stylesheet" href="${assets.style.href}" integrity="${assets.style.integrity}">
<script src="${assets.script.href}" integrity="${assets.script.integrity}" defer></script>
<noscript><meta http-equiv="refresh" content="30"></noscript>
</head>
<body>
<header>
<h1>Tributary</h1>
<p><strong>${name}</strong> <span class="note">${document.client.id?.slice(0, 8)}</span></p>
${part('orders')}
</header>
<p id="order-answer" role="status"></p>
<main>
<section class="card" aria-label="Now">
<div id="silence" role="status" hidden><h2 class="state plain"><span aria-hidden="true">○</span> Unknown since <span id="silent-since"></span></h2>
<p class="note">The agent does not answer. Below is the last known state; retrying every few seconds.</p></div>
${part('state')}
${part('throughput')}
</section>
${part('numbers')}
${renderProbed('uptime', 'Days', view)}
<section class="card transfer" aria-labelledby="transfer-title">
${part('ranges')}
${chartNames.map((range) => renderChosen(range, view))}
</section>
<div class="columns">
<div><section class="card" aria-labelledby="events-title"><h2 id="events-title">Events</h2>${part('events')}</section>
<section class="card" aria-labelledby="refused-title"><h2 id="refused-title">Refused packets</h2>${part('refused')}</section></div>
<section class="card" aria-labelledby="connection-title"><h2 id="connection-title">Connection</h2>${part('connection')}</section>
</div>
</main>
<footer>
<p>As of <time id="now" datetime="${now.toISOString()}">${clock.formatClockSeconds(now)}</time>.</p>
${part('zone')}
<nav class="row" aria-label="The same for programs"><a href="/status.json">Status as JSON</a> <a href="/history.json?unit=day">Days as JSON</a> <a href="/metrics">Metrics</a> ${renderHelp()} ${view.takesControl ? html`<button type="button" id="log" class="scripted">Log</button> ` : undefined}<button type="button" id="forget" hidden>Forget the token</button></nav>
</footer>
${renderDialogs(view)}${view.takesControl ? renderSettings() : undefined}
</body>
</html>
`.html;
}

/** Only these parts, for the script. */
export function renderParts(names: readonly PartName[], view: View): string {
  return html`<!doctype html><title>${titlePage(view)}</title>${names.map((name) => renderPart(name, view))}`
    .html;
}

export function titlePage(view: View): string {
  return `${describeState(view).title}: ${view.document.client.description ?? 'this device'} - Tributary`;
}

function renderChosen(range: ChartName, view: View): Html {
  const { title } = chartSpans[range];
  return html`<div class="range" id="of-${range}">${renderProbed(range, title, view)}
<details><summary>As a table</summary><div class="wide" tabindex="0" role="region" aria-label="${title} as a table">${renderPart(`${range}-table`, view)}</div></details></div>
`;
}

/**
 * A chart whose bars can be explored by touch and keyboard: the script turns the probe into a
 * slider.
 */
function renderProbed(name: 'uptime' | ChartName, label: string, view: View): Html {
  return html`<div class="probed">${renderPart(name, view)}<div class="probe" data-label="${label}"></div><p class="note readout" hidden></p></div>`;
}

/** The parts of the page. When one changes, it is replaced as a whole. */
const parts = {
  orders: renderOrders,
  state: renderState,
  throughput: renderThroughput,
  numbers: renderNumbers,
  uptime: renderUptime,
  ranges: renderRanges,
  hours: (view) => renderRange(view, 'hours'),
  days: (view) => renderRange(view, 'days'),
  months: (view) => renderRange(view, 'months'),
  'hours-table': (view) => renderTable(view, 'hours'),
  'days-table': (view) => renderTable(view, 'days'),
  'months-table': (view) => renderTable(view, 'months'),
  events: renderEvents,
  refused: renderRefused,
  connection: renderConnection,
  zone: ({ clock, now }) =>
    html`Times are those of ${clock.zoneAt(now)}.<span id="tomorrow" data-at="${clock.startOfDay(now, 1)}"></span>`,
} satisfies Record<string, (view: View) => Html>;

type PartName = keyof typeof parts;

export const partNames = Object.keys(parts) as readonly PartName[];

/** A part with a tag, by which the script knows whether it has changed. */
function renderPart(name: PartName, view: View): Html {
  const role = name === 'state' ? html` role="status"` : undefined;
  return html`<div id="live-${name}" data-live="${tagPart(name, view)}"${role}>${parts[name](view)}</div>`;
}

/**
 * The tag of a part, which changes with what the part shows. Figures and lines of the live chart
 * are sent separately, so its tag only changes when it appears.
 */
export function tagPart(name: PartName, view: View): string {
  if (name === 'throughput') return isMeasured(view) ? 'shown' : 'none';
  return createHash('sha1').update(parts[name](view).html).digest('base64url').slice(0, 8);
}
