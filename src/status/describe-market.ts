import { splitCarried } from '../health/listing.ts';
import { formatBitrate, formatBytes } from '../lib/units.ts';
import type { ConsumerSums } from '../source/source-report.ts';
import type { StatusDocument } from './document.ts';

type Source = StatusDocument['sources'][number];
type Market = NonNullable<Source['market']>;

/** What was carried in all, and in this month. */
type Carried = ConsumerSums & { readonly month: ConsumerSums };

/** How a moment is said: `alive for 3 h` in the text, a time on the page. */
type SayMoment<Phrase> = (time: string, how: 'past' | 'future') => Phrase;

const standings: Readonly<Record<Market['standing'], string>> = {
  listed: 'listed, as far as this device can tell',
  'at-risk': 'listed, but too many minutes were lost lately',
  waiting: 'not listed yet',
  dropped: 'not listed: too many minutes were lost',
  offline: 'not listed: not connected',
  'own-network': 'not offered to strangers, by the mode',
  nobody: 'offered to nobody, by the mode',
};

const windows = [
  ['hour', 'the last hour'],
  ['halfDay', 'the last 12 hours'],
  ['week', 'the last 7 days'],
] as const;

/** Whether consumers find this device, and why, in phrases. */
export function describeMarket<Phrase>(
  market: Market,
  say: { readonly count: (count: number) => string; readonly moment: SayMoment<Phrase> },
): readonly (string | Phrase | readonly [string, Phrase])[] {
  const { expectedAt, minutes, speedTest, latencyTestedAt, lastConsumerAt, seenAs } = market;
  return [
    standings[market.standing],
    expectedAt === null ? '' : (['expected', say.moment(expectedAt, 'future')] as const),
    ...windows.map(([window, words]) => describeMinutes(minutes[window], { ...say, words })),
    speedTest === null
      ? 'speed not tested yet'
      : ([describeSpeed(speedTest), say.moment(speedTest.at, 'past')] as const),
    latencyTestedAt === null
      ? 'latency not tested yet'
      : (['latency tested', say.moment(latencyTestedAt, 'past')] as const),
    lastConsumerAt === null
      ? 'no consumer yet'
      : (['last consumer', say.moment(lastConsumerAt, 'past')] as const),
    seenAs.length === 0 ? 'public address not known' : `seen as ${seenAs.join(', ')}`,
  ];
}

function describeMinutes(
  { valid, known, wanted }: Market['minutes']['hour'],
  say: { readonly count: (count: number) => string; readonly words: string },
): string {
  if (known === 0) return '';
  const needed = wanted === null ? '' : ` (${say.count(wanted)} wanted)`;
  return `${say.count(valid)} of ${say.count(known)} minutes of ${say.words} count${needed}`;
}

function describeSpeed({ bytesPerSecond, whole }: NonNullable<Market['speedTest']>): string {
  const speed = formatBitrate(bytesPerSecond);
  return whole ? `speed ${speed}, tested` : `speed test not whole (${speed}),`;
}

type Provided = NonNullable<StatusDocument['provided']>;

/** What the service counts for payouts, in phrases. */
export function describeProvided({ paidBytes, unpaidBytes }: Provided): readonly string[] {
  const say = (bytes: number | null, words: string) =>
    bytes === null ? '' : `${formatBytes(bytes)} ${words}`;
  return [
    say(paidBytes, 'paid out'),
    say(unpaidBytes, 'not paid out yet'),
    'for all your devices, by the service',
  ];
}

/** A row of the table of what was carried: in words, in all, and in this month. */
export interface CarriedRow {
  readonly words: string;
  readonly total: string;
  readonly month: string;
}

const carriedRows = [
  ['carriedBytes', 'carried'],
  ['paidBytes', 'paid'],
  ['bridgedBytes', 'bridged, unpaid'],
  ['unpaidBytes', 'lost, unpaid'],
  ['doubtfulBytes', 'in doubt'],
  ['overheadBytes', 'overhead'],
] as const;

/** What became of what a source carried; the rows add up, but for the overhead, to the first. */
export function tabulateCarried(consumers: Carried): readonly CarriedRow[] {
  const [total, month] = [splitCarried(consumers), splitCarried(consumers.month)];
  return carriedRows.map(([name, words]) => ({
    words,
    total: formatBytes(total[name]),
    month: formatBytes(month[name]),
  }));
}

/** The table as lines, the first of which begins with the label. */
export function layOutCarried(consumers: Carried, label: string): readonly string[] {
  const head = { words: '', total: 'in all', month: 'this month' };
  return [head, ...tabulateCarried(consumers)].map(({ words, total, month }, index) => {
    const begin = index === 0 ? label : ''.padEnd(label.length);
    return `${begin}${words.padEnd(16)}${total.padStart(12)}${month.padStart(14)}`;
  });
}
