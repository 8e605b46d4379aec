import type { RefusalReason } from '../../gateway/policy.ts';
import { formatBytes } from '../../lib/units.ts';
import { chooserWords } from '../chosen-mode.ts';
import { describeProvided } from '../describe-market.ts';
import { describeReach } from '../describe-reach.ts';
import {
  describeConsumers,
  describeSource,
  hasTunnel,
  listShownSources,
} from '../describe-sources.ts';
import type { StatusDocument } from '../document.ts';
import type { RecentEvent } from '../recent.ts';
import { describeLimit, describeMode, phaseNames, sayStatistics } from '../text.ts';
import { type Html, html, joinPhrases, renderMoment } from './html.ts';
import { listMarketRows, renderCarried } from './render-market.ts';
import { formatCount } from './render-numbers.ts';
import type { View } from './view.ts';

const shownAtOnce = 6;

/** What happened lately, also in earlier runs, the newest first. */
export function renderEvents({ events, clock, now }: View): Html {
  const list = (some: readonly RecentEvent[]) =>
    html`<ol>${some.map((event) => html`<li>${renderMoment(event.at, { clock, now })} ${renderEvent(event)}</li>\n`)}</ol>`;
  if (events.length === 0) return html`<p>None yet.</p>`;
  const earlier = events.slice(shownAtOnce);
  const more = html`<details><summary>${earlier.length} earlier</summary>${list(earlier)}</details>`;
  return html`${list(events.slice(0, shownAtOnce))}${earlier.length === 0 ? undefined : more}`;
}

function renderEvent(event: RecentEvent): Html {
  if (event.kind === 'start') return html`<span>Started, version ${event.version}</span>`;
  if (event.kind === 'mode')
    return html`<span>Mode <strong>${event.mode}</strong>, ${chooserWords[event.chooser]}</span>`;
  // Who let it idle is told by the mode beside it.
  const name = event.phase === 'idle' ? 'Not sharing' : phaseNames[event.phase];
  return html`<span><strong>${name}</strong>${event.message === undefined ? '' : `: ${event.message}`}</span>`;
}

/** How the device is connected, which is the last thing that an owner looks at. */
export function renderConnection(view: View): Html {
  const { document, version, startedAt, now } = view;
  const { tunnel, gateway, service, provide } = document;
  const { up, down } = gateway.forwardedBytes;
  const answering = describeReach(document, 'answering');
  const moment = (time: string | null, words: string) =>
    time === null ? '' : html`${words} ${renderMoment(new Date(time), view)}`;
  const forwarded = `${formatBytes(up ?? 0)} to the Internet, ${formatBytes(down ?? 0)} back`;
  const describeOne = (source: StatusDocument['sources'][number]) =>
    describeSource(source, ({ since, isConnection }) =>
      moment(since.toISOString(), isConnection ? 'alive since' : 'answered'),
    );
  const tunnelRow = [
    tunnel.backend === null
      ? `${tunnel.interface} is not there`
      : `${tunnel.interface}, ${tunnel.backend} WireGuard`,
    moment(tunnel.lastHandshakeAt, 'last handshake') || 'no handshake yet',
  ];
  const sourceRows = listShownSources(document).map(
    (source) => [`Source ${source.name}`, describeOne(source)] as const,
  );
  const consumerRows = document.sources.flatMap(({ name, consumers }) =>
    consumers === null
      ? []
      : [[`Consumers by ${name}`, describeConsumers(consumers, formatCount)] as const],
  );
  const rows = {
    Mode: describeMode(provide, now),
    Limit: [describeLimit(provide)],
    ...(hasTunnel(document) && { Tunnel: tunnelRow }),
    ...Object.fromEntries([...sourceRows, ...listMarketRows(view), ...consumerRows]),
    Service: [service.baseUrl, answering, moment(service.lastContactAt, 'last answer')],
    Uplink: [
      gateway.uplink === null ? 'none' : `${gateway.uplink}, ${gateway.open ? 'open' : 'closed'}`,
      ...sayStatistics('gateway', gateway),
      moment(gateway.selfTestHeldAt, 'firewall tested'),
    ],
    ...(document.provided !== null && {
      Provided: [...describeProvided(document.provided), moment(document.provided.at, 'asked')],
    }),
    'Forwarded in all': [up === null || down === null ? 'not counted yet' : forwarded],
    Agent: [html`version ${version}, running since ${renderMoment(startedAt, view)}`],
  };
  const lines = Object.entries(rows).map(
    ([label, phrases]) => html`<div><dt>${label}</dt><dd>${joinPhrases(phrases)}</dd></div>\n`,
  );
  return html`<dl class="rows">${lines}</dl>${renderCarried(view)}`;
}

/** What consumers tried and were refused, the most frequent first. */
export function renderRefused({ document }: View): Html {
  const kinds = Object.entries(document.gateway.refusedPackets)
    .filter(([, packets]) => packets > 0)
    .toSorted(([, one], [, other]) => other - one);
  if (kinds.length === 0) return html`<p>None so far.</p>`;
  const words = new Map<string, string>(Object.entries(refusals));
  return html`<dl class="rows sums">${kinds.map(([kind, packets]) => {
    const what = words.get(kind) ?? kind.replaceAll('-', ' ');
    return html`<div><dt>${what}</dt><dd>${formatCount(packets)}</dd></div>\n`;
  })}</dl>`;
}

const refusals: Readonly<Record<RefusalReason, string>> = {
  'not-providing': 'While nothing was shared',
  'other-tunnel': 'From a tunnel that is not ours',
  'forged-source': 'With a forged source address',
  'strange-packet': 'With options, about to expire, or for tiny segments',
  'device-itself': 'To this device itself',
  'denied-destination': 'To destinations you deny',
  'own-network': 'Into your own networks',
  'not-public': 'To addresses that are not public',
  'blocked-port': 'To blocked ports',
  'other-protocol': 'By protocols that you have not opened',
  'risky-port': 'To or from ports that the strict rules refuse',
  'file-sharing': 'File sharing, known by its first bytes',
  'bad-address': 'To or from addresses on your lists of bad ones',
  'not-uplink': 'By another way than the uplink',
  invalid: 'Packets that belong to no connection',
  unsolicited: 'From outside, unasked',
  'error-message': 'Error messages: from consumers, and our own about refused packets',
  'not-translated': "Would have left without this device's address",
  'too-many-connections': 'More connections than one consumer may have',
  'too-many-in-all': 'More connections than all consumers may have',
  'too-many-new-connections': 'Connections opened too fast',
  'too-many-half-open': 'Connections opened while too many got no answer',
  'data-cap': 'Over the data cap',
  'cap-ending': 'New connections close to the data cap',
  'udp-flood': 'UDP faster than half of the limit',
  'rate-limit': 'Over the rate limit',
};
