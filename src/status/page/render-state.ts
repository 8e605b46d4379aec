import { phaseTraits, type Tone } from '../../health/phase-traits.ts';
import { dayMs } from '../../lib/units.ts';
import { findChosenMode } from '../chosen-mode.ts';
import { hasTunnel } from '../describe-sources.ts';
import type { StatusDocument } from '../document.ts';
import { modeWords } from '../mode-words.ts';
import { type Html, html, joinPhrases, renderAdvice, renderMoment } from './html.ts';
import type { View } from './view.ts';

/** The headline of the page: what the agent does. */
export interface State {
  readonly title: string;
  readonly detail?: string;
}

/** A sign for each tone, so that colour does not carry the meaning alone. */
const toneSigns: Readonly<Record<Tone, string>> = { good: '●', warning: '▲', bad: '■', plain: '○' };

/** What the agent does now, why, and what the owner can do about it. */
export function renderState(view: View): Html {
  const { title, detail } = describeState(view);
  const { document } = view;
  const { tone } = phaseTraits[document.phase];
  return html`<h2 class="state ${tone}"><span aria-hidden="true">${toneSigns[tone]}</span> ${title}</h2>
<p class="note">${joinPhrases([detail, ...listCircumstances(view)])}</p>
${document.reasons.map((reason) => renderReason(reason, view))}`;
}

/**
 * The state as a sentence. The phases of `status --json` are fixed; here an owner who pauses reads
 * "Paused by you".
 */
export function describeState({ document, clock, now }: View): State {
  const { phase, provide, usage, reasons } = document;
  const formatUntil = (time: string | null) =>
    time === null ? '' : ` until ${clock.formatMoment(new Date(time), now)}`;
  switch (phase) {
    case 'providing':
      return { title: modeWords[provide.effective ?? 'default'].state };
    case 'idle':
      return describeIdle(document, formatUntil(provide.override?.until ?? null));
    case 'paused':
      return {
        title: `Cap reached: paused${formatUntil(usage.resetsAt)}`,
        detail: 'Nothing is shared',
      };
    case 'connecting':
      return reasons[0]?.code === 'no-uplink'
        ? {
            title: 'No Internet connection',
            detail: 'Nothing is shared until it is back',
          }
        : {
            title: 'Connecting',
            detail: `Nothing is shared until ${hasTunnel(document) ? 'the tunnel is up' : 'consumers can come'}`,
          };
    case 'registering':
      return { title: 'Registering this device', detail: 'Nothing is shared yet' };
    case 'signed-out':
      return {
        title: 'Signed out',
        detail: 'Nothing is shared until this device is signed in',
      };
    case 'blocked':
      return {
        title: 'Blocked: something has to be fixed',
        detail: 'Nothing is shared until then',
      };
    case 'stopping':
      return { title: 'Stopping', detail: 'The agent is taking everything down' };
  }
}

function describeIdle({ provide, reasons }: StatusDocument, until: string): State {
  if (reasons.some(({ code }) => code === 'gateway-disabled'))
    return { title: 'Forwarding is switched off' };
  switch (findChosenMode(provide).chooser) {
    case 'override':
      return {
        title: `Paused by you${until}`,
        detail:
          until === '' ? 'Nothing is shared until you resume' : 'Nothing is shared until then',
      };
    case 'schedule':
      return {
        title: 'Paused by your schedule',
        detail: 'Nothing is shared until its next entry',
      };
    default:
      return { title: 'Not sharing', detail: 'The configured mode is none' };
  }
}

function listCircumstances(view: View): readonly (string | Html | undefined)[] {
  const { document, events, now, startedAt } = view;
  const { phase, provide, service, gateway } = document;
  const [latest] = events.filter((event) => event.kind === 'phase');
  const since = renderMoment(latest?.phase === phase ? latest.at : startedAt, view);
  const { override } = provide;
  const until = override?.until
    ? html` until ${renderMoment(new Date(override.until), view)}`
    : undefined;
  // Where the home's public address is not known, consumers may reach what the router shows there.
  const isHomeKnown = document.reasons.every(({ code }) => code !== 'outside-unknown');
  const isTried =
    gateway.selfTestHeldAt !== null && now.getTime() - Date.parse(gateway.selfTestHeldAt) < dayMs;
  return [
    phase === 'providing' ? html`Providing since ${since}` : html`since ${since}`,
    phase === 'idle' || override === null
      ? undefined
      : html`mode ${override.mode} set by you${until}`,
    service.reachable === true ? 'service answering' : undefined,
    isTried && isHomeKnown ? 'your home network is out of reach' : undefined,
  ];
}

function renderReason(
  { code, message, action, since }: StatusDocument['reasons'][number],
  view: View,
): Html {
  return html`<div class="reason">
<p><strong>${message}</strong></p>
<p>${renderAdvice(action)}</p>
<p class="note"><code>${code}</code> since ${renderMoment(new Date(since), view)}</p>
</div>
`;
}
