import { phaseTraits, type Tone } from '../health/phase-traits.ts';
import { formatValue, type StatusSection } from '../health/statistic.ts';
import { statistics } from '../health/statistics.ts';
import { formatBitrate, formatBytes, formatSeconds, formatUsdc } from '../lib/units.ts';
import { chooserWords, findChosenMode } from './chosen-mode.ts';
import { describeMarket, describeProvided, layOutCarried } from './describe-market.ts';
import { describePhase } from './describe-phase.ts';
import { describeReach } from './describe-reach.ts';
import {
  describeConsumers,
  describeSource,
  hasTunnel,
  listShownSources,
} from './describe-sources.ts';
import type { StatusDocument } from './document.ts';
import { describeHousehold } from './household-words.ts';
import { wrapPhrases, wrapText } from './wrap.ts';

type Provide = StatusDocument['provide'];

export interface StatusLine {
  readonly text: string;
  readonly tone: Tone;
}

const width = 80;
const labelWidth = 10;
const barWidth = 24;

/** Each phase for people. */
export const phaseNames: Readonly<Record<StatusDocument['phase'], string>> = {
  providing: 'Providing',
  idle: 'Idle',
  paused: 'Paused',
  connecting: 'Connecting',
  registering: 'Registering',
  stopping: 'Stopping',
  'signed-out': 'Signed out',
  blocked: 'Blocked',
};

/** The status for people: at most 80 columns, times relative to `now`. */
export function renderStatus(document: StatusDocument, now: Date): readonly StatusLine[] {
  const { tone } = phaseTraits[document.phase];
  return [
    { text: `Tributary is ${describePhase(document, (time) => formatTimeLeft(time, now))}`, tone },
    ...document.reasons.flatMap((reason) => renderReason(reason, tone, now)),
    { text: '', tone: 'plain' },
    ...renderField('Device', [
      document.client.description ?? '',
      document.client.id ?? 'not registered',
    ]),
    ...renderField('Mode', describeMode(document.provide, now)),
    ...renderField('Limit', describeLine(document.provide)),
    ...renderField('Service', describeService(document, now)),
    ...(hasTunnel(document) ? renderField('Tunnel', describeTunnel(document.tunnel, now)) : []),
    ...listShownSources(document).flatMap((source, index) =>
      renderField(index === 0 ? 'Sources' : '', describeOne(source, now)),
    ),
    ...document.sources.flatMap((source) => renderConsumers(source, now)),
    ...renderField('Gateway', describeGateway(document.gateway, now)),
    ...renderField('Usage', describeUsage(document.usage, now)),
    ...(document.provided === null
      ? []
      : renderField('Provided', describeProvided(document.provided))),
    ...(document.earned === null ? [] : renderField('Earned', describeEarned(document.earned))),
  ];
}

/** Whether consumers find this device, who is there, and what became of what was carried. */
function renderConsumers(
  { consumers, market }: StatusDocument['sources'][number],
  now: Date,
): readonly StatusLine[] {
  const moment = (time: string, how: 'past' | 'future') =>
    how === 'past' ? `${formatAge(time, now)} ago` : `in ${formatTimeLeft(time, now)}`;
  const phrases = market === null ? [] : describeMarket(market, { count: String, moment });
  const listed = phrases.map((phrase) => (typeof phrase === 'string' ? phrase : phrase.join(' ')));
  return [
    ...(market === null ? [] : renderField('Listed', listed)),
    ...(consumers === null ? [] : renderField('Consumers', describeConsumers(consumers))),
    ...(consumers === null ? [] : layOutCarried(consumers, 'Traffic'.padEnd(labelWidth))).map(
      toPlain,
    ),
  ];
}

function renderReason(reason: StatusDocument['reasons'][number], phaseTone: Tone, now: Date) {
  const tone = phaseTone === 'bad' ? 'bad' : 'warning';
  const age = `${reason.code}, for ${formatAge(reason.since, now)}`;
  return [
    ...wrapText(age, { width, first: '  ! ' }).map((text): StatusLine => ({ text, tone })),
    ...wrapText(reason.message, { width, first: '    ' }).map(toPlain),
    ...wrapText(reason.action, { width, first: '    > ' }).map(toPlain),
  ];
}

function renderField(label: string, parts: readonly string[]): readonly StatusLine[] {
  const phrases = parts
    .filter((part) => part !== '')
    .map((part, index, all) => (index < all.length - 1 ? `${part},` : part));
  return wrapPhrases(phrases, { width, first: label.padEnd(labelWidth) }).map(toPlain);
}

/** The mode in force, who chose it, and whether the service has accepted it. */
export function describeMode(provide: StatusDocument['provide'], now: Date): string[] {
  const { effective, confirmed, override } = provide;
  const { mode, chooser } = findChosenMode(provide);
  const until = override?.until
    ? `for ${formatTimeLeft(override.until, now)} more`
    : 'until it is cleared';
  const by = `${chooserWords[chooser]}${chooser === 'override' ? ` ${until}` : ''}`;
  const isTold =
    effective === 'none'
      ? 'nothing passes; the service is being told'
      : `the service has ${confirmed}, and is told within a minute`;
  const service = confirmed === (effective ?? mode) ? 'confirmed by the service' : isTold;
  const isHeld = effective !== null && effective !== mode;
  return [
    isHeld ? `${effective}, ${chooserWords.agent} (${mode} is ${by})` : `${mode} (${by})`,
    effective === null ? 'not in force yet' : '',
    confirmed === null ? 'not confirmed by the service' : service,
    provide.scheduled === null || provide.timeZone === null ? '' : `clock of ${provide.timeZone}`,
  ];
}

/** The limit of sharing on the line, who set it, and what the household leaves of it. */
export function describeLine(provide: Provide): string[] {
  const yielding = describeYielding(provide, (time) => time.toTimeString().slice(0, 5));
  return [describeLimit(provide), yielding || describeHousehold(provide.household)];
}

export function describeLimit({ lineLimit }: Provide): string {
  if (lineLimit === null) return 'none';
  const { source, bitsPerSecond } = lineLimit;
  const by = chooserWords[source === 'configured' ? 'configuration' : source];
  return `${formatBitrate(bitsPerSecond / 8)} each way (${by})`;
}

/** `yielding to your household, 3.20 of 20.0 Mbit/s since 20:14`; empty while it does not yield. */
export function describeYielding(
  { household }: Provide,
  formatTime: (time: Date) => string,
): string {
  const { bitsPerSecond, ceilingBitsPerSecond, yieldingSince } = household;
  if (bitsPerSecond === null || yieldingSince === null) return '';
  const limit =
    ceilingBitsPerSecond === null ? '' : ` of ${formatBitrate(ceilingBitsPerSecond / 8)}`;
  const both = `${formatBitrate(bitsPerSecond / 8)}${limit}`.replace(/ (\S+)(?= of \S+ \1$)/, '');
  return `yielding to your household, ${both} since ${formatTime(new Date(yieldingSince))}`;
}

function describeService(document: StatusDocument, now: Date): string[] {
  const { service } = document;
  const { lastContactAt, nextKeepaliveAt: nextRenewalAt } = service;
  return [
    `${service.baseUrl} (${service.profile})`,
    describeReach(document, 'reachable'),
    lastContactAt === null ? '' : `last answer ${formatAge(lastContactAt, now)} ago`,
    nextRenewalAt === null ? '' : `next renewal in ${formatTimeLeft(nextRenewalAt, now)}`,
  ];
}

function describeTunnel(tunnel: StatusDocument['tunnel'], now: Date): string[] {
  const { backend, endpoint, lastHandshakeAt } = tunnel;
  if (backend === null) return [`${tunnel.interface}, not up`];
  return [
    `${tunnel.interface} (${backend})${endpoint === null ? '' : ` to ${endpoint}`}`,
    lastHandshakeAt === null
      ? 'no handshake yet'
      : `handshake ${formatAge(lastHandshakeAt, now)} ago`,
    ...sayStatistics('tunnel', tunnel),
  ];
}

function describeOne(source: StatusDocument['sources'][number], now: Date): string[] {
  const [place = '', ...rest] = describeSource(source, ({ since, isConnection }) => {
    const age = formatAge(since.toISOString(), now);
    return isConnection ? `alive for ${age}` : `answered ${age} ago`;
  });
  return [`${source.name} on ${place}`, ...rest];
}

function describeGateway(gateway: StatusDocument['gateway'], now: Date): string[] {
  const refused = Object.entries(gateway.refusedPackets).filter(([, packets]) => packets > 0);
  const where = gateway.uplink === null ? '' : ` to ${gateway.uplink}`;
  const { forwardedBytes, selfTestHeldAt } = gateway;
  const { up, down } = forwardedBytes;
  return [
    `${gateway.open ? 'open' : 'closed'}${where}`,
    ...(up === null || down === null
      ? ['not counted yet']
      : [`${formatBytes(up)} up`, `${formatBytes(down)} down`]),
    refused.length === 0
      ? ''
      : `refused packets: ${refused.map(([why, count]) => `${count} ${why}`).join(', ')}`,
    ...sayStatistics('gateway', gateway),
    selfTestHeldAt === null ? '' : `firewall tested ${formatAge(selfTestHeldAt, now)} ago`,
  ];
}

/** What the table of statistics says in a section, as far as it is known. */
export function sayStatistics(
  section: StatusSection,
  values: Readonly<Record<string, unknown>>,
): readonly string[] {
  return statistics.flatMap(({ status, unit }) => {
    const value = status?.section === section ? values[status.field] : undefined;
    return typeof value === 'number' ? [`${formatValue(value, unit)} ${status?.words}`] : [];
  });
}

function describeUsage(usage: StatusDocument['usage'], now: Date): string[] {
  const used = formatBytes(usage.bytes);
  if (usage.capBytes === null) return [used, 'no cap'];
  const share = usage.capBytes === 0 ? 1 : Math.min(1, usage.bytes / usage.capBytes);
  const filled = Math.floor(share * barWidth);
  const bar = `[${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}]`;
  return [
    `${bar} ${Math.floor(share * 100)}%: ${used} of ${formatBytes(usage.capBytes)}${usage.counts === 'line' ? ' on your line' : ''}`,
    usage.reachedAt === null
      ? ''
      : `at this pace reached in ${formatTimeLeft(usage.reachedAt, now)}`,
    usage.resetsAt === null ? '' : `resets in ${formatTimeLeft(usage.resetsAt, now)}`,
  ];
}

function describeEarned({
  last24hUsdc,
  monthUsdc,
  totalUsdc,
  totalSince,
}: NonNullable<StatusDocument['earned']>): string[] {
  const month = monthUsdc === null ? '' : `${formatUsdc(monthUsdc)} this month`;
  const total =
    totalUsdc === null ? '' : `${formatUsdc(totalUsdc)} since ${totalSince?.slice(0, 10)}`;
  return [`${formatUsdc(last24hUsdc)} in the last 24 hours`, month, total];
}

function formatAge(time: string, now: Date): string {
  return formatSeconds((now.getTime() - Date.parse(time)) / 1000);
}

function formatTimeLeft(time: string, now: Date): string {
  return formatSeconds((Date.parse(time) - now.getTime()) / 1000);
}

function toPlain(text: string): StatusLine {
  return { text, tone: 'plain' };
}
