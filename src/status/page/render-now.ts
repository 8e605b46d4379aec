import { formatBitrate, formatBytes } from '../../lib/units.ts';
import type { StatusDocument } from '../document.ts';
import {
  describeHandshake,
  describeMode,
  describeReach,
  describeSelfTest,
  phaseWords,
  sayStatistics,
  type Tone,
} from '../text.ts';
import { renderSpark } from './chart.ts';
import { type Html, html, renderMoment } from './html.ts';
import type { View } from './view.ts';

/** A sign beside each tone, so that colour is not the only one. */
const toneSigns: Readonly<Record<Tone, string>> = { good: '●', warning: '▲', bad: '■', plain: '○' };

/** What the agent does now, why, and what the owner can do about it. */
export function renderNow(view: View): Html {
  const { document } = view;
  const { name, meaning, tone } = phaseWords[document.phase];
  return html`<section class="major" aria-labelledby="now-title">
<h2 id="now-title">Now</h2>
<div id="live-phase" data-live role="status">
<p class="phase ${tone}"><span aria-hidden="true">${toneSigns[tone]}</span> <strong>${name}</strong></p>
<p>${meaning}</p>
${document.reasons.map((reason) => renderReason(reason, view))}
</div>
<dl id="live-now" data-live>
<div class="speed"><dt>Throughput</dt><dd>${renderSpeed(view)}</dd></div>
${listRows(view).map(([label, text]) => html`<div><dt>${label}</dt><dd>${text}</dd></div>\n`)}</dl>
</section>`;
}

function renderReason({ code, message, action, since }: StatusDocument['reasons'][number], { clock, now }: View): Html {
  return html`<div class="reason">
<p>${message}</p>
<p><strong>What to do:</strong> ${action}</p>
<p class="note"><code>${code}</code>, since ${renderMoment(new Date(since), { clock, now })}</p>
</div>
`;
}

function renderSpeed({ speed, speeds }: View): Html {
  if (speed === undefined) return html`measured in a few seconds`;
  return html`<span class="number">${formatBitrate(speed.up)}</span> to the Internet, <span class="number">${formatBitrate(speed.down)}</span> back ${renderSpark(speeds)}`;
}

function listRows({ document, now, clock, startedAt }: View): readonly (readonly [string, string | Html])[] {
  const { provide, service, tunnel, gateway } = document;
  const until = provide.override?.until;
  return [
    ['Mode', join(describeMode(provide, now))],
    ...(until ? [['Set by hand until', renderMoment(new Date(until), { clock, now })] as const] : []),
    [
      'Tunnel',
      join([
        tunnel.backend === null
          ? `${tunnel.interface} is not there`
          : `${tunnel.interface}, ${tunnel.backend} WireGuard`,
        describeHandshake(tunnel, now),
      ]),
    ],
    [
      'Way out',
      join([
        gateway.uplink === null ? 'none' : `${gateway.uplink}, ${gateway.open ? 'open' : 'closed'}`,
        ...sayStatistics('gateway', gateway),
        describeSelfTest(gateway, now),
      ]),
    ],
    ['Service', join([service.baseUrl, ...describeReach(service, now)])],
    ['Forwarded in all', renderForwarded(gateway.forwardedBytes)],
    ['Agent running', html`since ${renderMoment(startedAt, { clock, now })}`],
  ];
}

function renderForwarded({ up, down }: StatusDocument['gateway']['forwardedBytes']): string {
  if (up === null || down === null) return 'not counted yet';
  return `${formatBytes(up)} to the Internet, ${formatBytes(down)} back`;
}

function join(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(', ');
}
