import { renderSparkline } from '../../lib/bars.ts';
import { formatSeconds } from '../../lib/units.ts';
import type { OperationResponse } from '../../service/operations.ts';
import { wrapPhrases } from '../../status/wrap.ts';
import type { ServiceCommand } from '../command.ts';
import type { Terminal } from '../context.ts';
import { formatCount, formatMoment, formatShare } from '../present/amounts.ts';
import { squeeze } from '../present/squeeze.ts';
import { type Column, renderTable } from '../present/table.ts';
import { joinLines, joinSections } from '../present/text.ts';

type Window = OperationResponse<'reliability'>['reliabilityWindow'];
type ReliabilityView = ReturnType<typeof viewReliability>;
type BucketView = ReliabilityView['buckets'][number];

/** `tributary network reliability`. */
export const reliability: ServiceCommand<ReliabilityView> = {
  usage: 'reliability',
  description: "how reliable the network's devices were, and what each country counts for",
  examples: { 'tributary network reliability': 'weights, clients and countries over the last window' },
  run: async (session) => viewReliability((await session.call('reliability', undefined)).reliabilityWindow),
  render: renderReliability,
};

/** The window as it is shown; an absent one is empty. */
export function viewReliability(window: Window) {
  return {
    /** 1 is always there. */
    meanWeight: window?.meanReliabilityWeight,
    windowStartAt: toTime(window?.minTimeUnixMilli),
    windowEndAt: toTime(window?.maxTimeUnixMilli),
    bucketSeconds: window?.bucketDurationSeconds,
    /** Most clients that were active in one bucket. */
    maxClientCount: window?.maxClientCount,
    /** Most clients that there were. */
    maxTotalClientCount: window?.maxTotalClientCount,
    /** Oldest first. */
    buckets: listBuckets(window),
    countryMultipliers: (window?.countryMultipliers ?? []).map((own) => ({
      countryLocationId: own.countryLocationId,
      country: own.country,
      countryCode: own.countryCode,
      multiplier: own.reliabilityMultiplier,
    })),
  };
}

/** The three lists as one, as long as the longest. */
function listBuckets(window: Window) {
  if (window === undefined) return [];
  const { reliabilityWeights, clientCounts, totalClientCounts, minTimeUnixMilli, bucketDurationSeconds } = window;
  const startMs = minTimeUnixMilli ?? Number.NaN;
  const stepMs = (bucketDurationSeconds ?? Number.NaN) * 1000;
  const length = Math.max(reliabilityWeights.length, clientCounts.length, totalClientCounts.length);
  return Array.from({ length }, (_, index) => ({
    startAt: toTime(startMs + index * stepMs),
    weight: reliabilityWeights[index],
    /** Clients that were active. */
    clientCount: clientCounts[index],
    totalClientCount: totalClientCounts[index],
  }));
}

/** undefined also for a number that is no time. */
function toTime(unixMs = Number.NaN): string | undefined {
  const time = new Date(unixMs);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

const labelWidth = 13;

async function renderReliability(view: ReliabilityView, terminal: Terminal): Promise<string> {
  if (view.meanWeight === undefined && view.buckets.length === 0) {
    return 'Nothing is known yet: devices are scored while they provide. Make this one provide: tributary run\n';
  }
  const width = terminal.columns ?? 100;
  const renderBuckets = (read: (bucket: BucketView) => number | undefined, most: number) => {
    // One character a bucket, or a mean of several where there is no room for all.
    const values = squeeze(view.buckets.map(read), width - labelWidth);
    return renderSparkline(values, Math.max(most, ...values.map((value) => value ?? 0)));
  };
  const length = view.bucketSeconds === undefined ? '' : ` of ${formatSeconds(view.bucketSeconds)}`;
  const [start, end] = [view.windowStartAt, view.windowEndAt].map(formatMoment);
  const lines = [
    ['Reliability', `${formatShare(view.meanWeight)} on average`],
    ['Window', `${start} to`, `${end},`, `${view.buckets.length} buckets${length}`],
    ['Weights', renderBuckets(({ weight }) => weight, 1)],
    ['Clients', renderBuckets(({ clientCount }) => clientCount, view.maxTotalClientCount ?? 1)],
    ['', `at most ${formatCount(view.maxClientCount)} of ${formatCount(view.maxTotalClientCount)} at a time`],
  ].flatMap(([label = '', ...phrases]) =>
    wrapPhrases(phrases, { width, first: label.padEnd(labelWidth), rest: ' '.repeat(labelWidth) }),
  );
  const countries = view.countryMultipliers.toSorted((one, other) => (other.multiplier ?? 0) - (one.multiplier ?? 0));
  return joinSections([joinLines(lines), await renderTable(columns, countries, terminal)]);
}

const columns: readonly Column<ReliabilityView['countryMultipliers'][number]>[] = [
  { title: 'Country', read: ({ country }) => country, least: 16 },
  { title: 'Code', read: ({ countryCode }) => countryCode, least: 4 },
  { title: 'Multiplier', read: ({ multiplier }) => multiplier?.toFixed(2), align: 'right' },
];
