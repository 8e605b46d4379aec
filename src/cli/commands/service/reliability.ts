import { renderSparkline } from '../../../lib/bars.ts';
import type { OperationResponse } from '../../../service/operations.ts';
import { wrapPhrases } from '../../../status/wrap.ts';
import { defineCommand } from '../../frame/command.ts';
import {
  formatCount,
  formatDuration,
  formatMoment,
  formatMultiplier,
  formatShare,
  toTime,
} from '../../present/amounts.ts';
import { defineTable } from '../../present/tables.ts';
import { joinLines, joinSections } from '../../present/text.ts';
import { squeeze } from '../stats/figures.ts';

type Window = OperationResponse<'reliability'>['reliabilityWindow'];

const labelWidth = 13;

export const reliability = defineCommand({
  usage: 'reliability',
  description: "how reliable the network's devices were, and each country's multiplier",
  examples: {
    'tributary service reliability': 'weights, clients and countries over the last window',
  },
  run: async (session) =>
    viewReliability((await session.call('reliability', undefined)).reliabilityWindow),
  tables: ({ countryMultipliers }) => ({
    countryMultipliers: defineTable(countryMultipliers, [
      { title: 'Country', read: ({ country }) => country, least: 16 },
      { title: 'Code', read: ({ countryCode }) => countryCode, least: 4 },
      {
        title: 'Multiplier',
        read: ({ multiplier }) => multiplier,
        format: formatMultiplier,
        align: 'right',
      },
    ]),
  }),
  render(view, { columns, tables }) {
    if (view.meanWeight === undefined && view.buckets.length === 0)
      return 'No figures yet: devices are scored while they provide.\n';
    const width = columns ?? 100;
    const renderBuckets = (figure: 'weight' | 'clientCount', most: number) => {
      // One character for each bucket, or for the mean of several on a narrow terminal.
      const all = view.buckets.map(({ [figure]: value }) => value);
      const values = squeeze(all, width - labelWidth);
      return renderSparkline(values, Math.max(most, ...values.map((value) => value ?? 0)));
    };
    const length =
      view.bucketSeconds === undefined ? '' : ` of ${formatDuration(view.bucketSeconds)}`;
    const [start, end] = [view.windowStartAt, view.windowEndAt].map(formatMoment);
    const lines = [
      ['Reliability', `${formatShare(view.meanWeight)} on average`],
      ['Window', `${start} to`, `${end},`, `${view.buckets.length} buckets${length}`],
      ['Weights', renderBuckets('weight', 1)],
      ['Clients', renderBuckets('clientCount', view.maxTotalClientCount ?? 1)],
      [
        '',
        `at most ${formatCount(view.maxClientCount)} of ${formatCount(view.maxTotalClientCount)} at a time`,
      ],
    ].flatMap(([label = '', ...phrases]) =>
      wrapPhrases(phrases, { width, first: label.padEnd(labelWidth) }),
    );
    return joinSections([joinLines(lines), tables.countryMultipliers]);
  },
});

/** The window as it is shown; an absent one is empty. */
export function viewReliability(window: Window) {
  return {
    /** 0 to 1; 1 means online all the time. */
    meanWeight: window?.meanReliabilityWeight,
    windowStartAt: toTime(window?.minTimeUnixMilli),
    windowEndAt: toTime(window?.maxTimeUnixMilli),
    bucketSeconds: window?.bucketDurationSeconds,
    maxClientCount: window?.maxClientCount,
    maxTotalClientCount: window?.maxTotalClientCount,
    /** The oldest comes first. */
    buckets: listBuckets(window),
    /** The largest comes first. */
    countryMultipliers: (window?.countryMultipliers ?? [])
      .map((own) => ({
        countryLocationId: own.countryLocationId,
        country: own.country,
        countryCode: own.countryCode,
        multiplier: own.reliabilityMultiplier,
      }))
      .toSorted((one, other) => (other.multiplier ?? 0) - (one.multiplier ?? 0)),
  };
}

/** Joins the three lists into one that is as long as the longest. */
function listBuckets(window: Window) {
  if (window === undefined) return [];
  const {
    reliabilityWeights,
    clientCounts,
    totalClientCounts,
    minTimeUnixMilli,
    bucketDurationSeconds,
  } = window;
  const startMs = minTimeUnixMilli ?? Number.NaN;
  const stepMs = (bucketDurationSeconds ?? Number.NaN) * 1000;
  const length = Math.max(reliabilityWeights.length, clientCounts.length, totalClientCounts.length);
  return Array.from({ length }, (_, index) => ({
    startAt: toTime(startMs + index * stepMs),
    weight: reliabilityWeights[index],
    clientCount: clientCounts[index],
    totalClientCount: totalClientCounts[index],
  }));
}
