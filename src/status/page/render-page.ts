import type { RefusalReason } from '../../gateway/policy.ts';
import { chooserWords } from '../chosen-mode.ts';
import type { RecentEvent } from '../recent.ts';
import { phaseWords } from '../text.ts';
import { type Html, html, renderMoment } from './html.ts';
import { renderControls } from './render-controls.ts';
import { renderNow } from './render-now.ts';
import { renderHistory, renderUsage } from './render-past.ts';
import type { View } from './view.ts';

/** The whole page: to be read without a script, which only keeps the parts marked `data-live` fresh and sends orders. */
export function renderPage(view: View, integrity: Readonly<Record<'script' | 'style', string>>): string {
  const { document } = view;
  const name = document.client.description ?? 'this device';
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${phaseWords[document.phase].name}: ${name} - Tributary</title>
<link rel="icon" href="/page.svg">
<link rel="stylesheet" href="/page.css" integrity="${integrity.style}">
<script src="/page.js" integrity="${integrity.script}" defer></script>
<noscript><meta http-equiv="refresh" content="30"></noscript>
</head>
<body>
<header>
<h1>Tributary</h1>
<p><strong>${name}</strong> <span class="note">${document.client.id ?? 'not registered yet'}</span></p>
</header>
<main>
<p id="silence" role="status" hidden></p>
${renderNow(view)}
${renderControls(view)}
${renderUsage(view)}
${renderHistory(view)}
${renderRefused(document.gateway.refusedPackets)}
${renderEvents(view)}
</main>
<footer>
<p id="live-time" data-live>${renderTime(view)} Version ${view.version}.</p>
<nav aria-label="The same for programs"><a href="/status.json">Status as JSON</a> <a href="/history.json?unit=day">Days as JSON</a> <a href="/metrics">Metrics</a></nav>
</footer>
</body>
</html>
`.html;
}

/** Whose times these are, and for the script how long it is to their next midnight. */
function renderTime({ now, clock }: View): Html {
  const seconds = Math.max(1, Math.round((clock.startOfDay(now, 1) - now.getTime()) / 1000));
  return html`As of <time datetime="${now.toISOString()}" data-to-tomorrow="${seconds}">${clock.formatClockSeconds(now)}</time>. Times are those of ${clock.zoneAt(now)}.`;
}

function renderRefused(refusedPackets: Readonly<Record<string, number>>): Html {
  const kinds = Object.entries(refusedPackets)
    .filter(([, packets]) => packets > 0)
    .toSorted(([, one], [, other]) => other - one);
  return html`<section class="minor" aria-labelledby="refused-title">
<h2 id="refused-title">Refused attempts</h2>
<div id="live-refused" data-live>
${
  kinds.length === 0
    ? html`<p>None so far.</p>`
    : html`<table><thead><tr><th scope="col">What consumers tried</th><th scope="col">Packets</th></tr></thead>
<tbody>${kinds.map(([kind, packets]) => html`<tr><th scope="row">${describeRefusal(kind)}</th><td>${packets}</td></tr>\n`)}</tbody></table>`
}
</div>
</section>`;
}

function renderEvents({ events, clock, now }: View): Html {
  return html`<section class="major" aria-labelledby="events-title">
<h2 id="events-title">Recent events</h2>
<div id="live-events" data-live>
${
  events.length === 0
    ? html`<p>None since the agent started.</p>`
    : html`<ol reversed>${events.map(
        (event) => html`<li>${renderMoment(event.at, { clock, now })} ${renderEvent(event)}</li>\n`,
      )}</ol>`
}
</div>
</section>`;
}

function renderEvent(event: RecentEvent): Html {
  if (event.kind === 'mode')
    return html`<span>Mode <strong>${event.mode}</strong>, ${chooserWords[event.chooser]}</span>`;
  return html`<span><strong>${phaseWords[event.phase].name}</strong>${event.message === undefined ? '' : `: ${event.message}`}</span>`;
}

/** Each kind of refused packet in words: what consumers tried. */
const refusals: Readonly<Record<RefusalReason, string>> = {
  'not-providing': 'While nothing was shared',
  'other-tunnel': 'From a tunnel that is not ours',
  'forged-source': 'With a forged source address',
  'strange-packet': 'With options, or about to expire',
  'device-itself': 'To this device itself',
  'denied-destination': 'To destinations you deny',
  'own-network': 'Into your own networks',
  'not-public': 'To addresses that are not public',
  'blocked-port': 'To blocked ports',
  'not-uplink': 'By another way than the uplink',
  invalid: 'Packets that belong to no connection',
  unsolicited: 'From outside, unasked',
  'error-message': 'Our own answers to refused packets',
  'too-many-connections': 'More connections than one consumer may have',
  'too-many-in-all': 'More connections than all consumers may have',
  'too-many-new-connections': 'Connections opened too fast',
  'too-many-half-open': 'Connections opened while too many got no answer',
  'data-cap': 'Over the data cap',
  'rate-limit': 'Over the rate limit',
};

/** A kind of refused packet in words; an unknown kind by its name. */
function describeRefusal(kind: string): string {
  return new Map<string, string>(Object.entries(refusals)).get(kind) ?? kind.replaceAll('-', ' ');
}
