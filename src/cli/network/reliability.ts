import type { Command } from 'commander';
import { renderSparkline } from '../../lib/bars.ts';
import { formatSeconds } from '../../lib/units.ts';
import type { OperationResponse } from '../../service/operations.ts';
import { wrapPhrases } from '../../status/wrap.ts';
import type { CommandContext } from '../context.ts';
import { formatCount, formatMoment, formatShare, unknown } from '../present/amounts.ts';
import { squeeze } from '../present/squeeze.ts';
import { type Column, renderTable } from '../present/table.ts';
import { addServiceCommand, type Paper } from '../service-command.ts';

/** How reliable the network's clients were, as `network reliability --json` shows it; null where the service is silent. */
export interface ReliabilityView {
  /** 1 is always there. */
  readonly meanWeight: number | null;
  readonly windowStartAt: string | null;
  readonly windowEndAt: string | null;
  readonly bucketSeconds: number | null;
  /** Most clients that were active in one bucket. */
  readonly maxClientCount: number | null;
  /** Most clients that there were. */
  readonly maxTotalClientCount: number | null;
  /** Oldest first. */
  readonly buckets: readonly BucketView[];
  readonly countryMultipliers: readonly MultiplierView[];
}

interface BucketView {
  readonly startAt: string | null;
  readonly weight: number | null;
  /** Clients that were active. */
  readonly clientCount: number | null;
  readonly totalClientCount: number | null;
}

interface MultiplierView {
  readonly countryLocationId: string | null;
  readonly country: string | null;
  readonly countryCode: string | null;
  readonly multiplier: number | null;
}

type Window = OperationResponse<'reliability'>['reliabilityWindow'];

/** Adds `tributary network reliability`. */
export function registerReliability(group: Command, context: CommandContext): void {
  addServiceCommand<ReliabilityView, object>(group, context, {
    usage: 'reliability',
    description: "how reliable the network's devices were, and what each country counts for",
    examples: { 'tributary network reliability': 'weights, clients and countries over the last window' },
    run: async (session) => toReliabilityView((await session.call('reliability', undefined)).reliabilityWindow),
    render: renderReliability,
  });
}

/** The window as it is shown; an absent one is empty. */
export function toReliabilityView(window: Window): ReliabilityView {
  return {
    meanWeight: window?.meanReliabilityWeight ?? null,
    windowStartAt: toTime(window?.minTimeUnixMilli),
    windowEndAt: toTime(window?.maxTimeUnixMilli),
    bucketSeconds: window?.bucketDurationSeconds ?? null,
    maxClientCount: window?.maxClientCount ?? null,
    maxTotalClientCount: window?.maxTotalClientCount ?? null,
    buckets: toBuckets(window),
    countryMultipliers: (window?.countryMultipliers ?? []).map((multiplier) => ({
      countryLocationId: multiplier.countryLocationId ?? null,
      country: multiplier.country ?? null,
      countryCode: multiplier.countryCode ?? null,
      multiplier: multiplier.reliabilityMultiplier ?? null,
    })),
  };
}

/** The three lists as one, as long as the longest. */
function toBuckets(window: Window): readonly BucketView[] {
  if (window === undefined) return [];
  const { reliabilityWeights, clientCounts, totalClientCounts, minTimeUnixMilli, bucketDurationSeconds } = window;
  const length = Math.max(reliabilityWeights.length, clientCounts.length, totalClientCounts.length);
  return Array.from({ length }, (_, index) => ({
    startAt:
      minTimeUnixMilli === undefined || bucketDurationSeconds === undefined
        ? null
        : toTime(minTimeUnixMilli + index * bucketDurationSeconds * 1000),
    weight: reliabilityWeights[index] ?? null,
    clientCount: clientCounts[index] ?? null,
    totalClientCount: totalClientCounts[index] ?? null,
  }));
}

/** null also for a number that is no time. */
function toTime(unixMs: number | undefined): string | null {
  const time = new Date(unixMs ?? Number.NaN);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

function renderReliability(view: ReliabilityView, { columns }: Paper): string {
  if (view.meanWeight === null && view.buckets.length === 0) {
    return 'Nothing is known yet: devices are scored while they provide. Make this one provide: tributary run\n';
  }
  const width = columns ?? 100;
  const room = width - labelWidth;
  const most = view.maxTotalClientCount ?? 1;
  const lines = [
    ['Reliability', `${formatShare(view.meanWeight)} on average`],
    ['Window', ...toWindowPhrases(view)],
    ['Weights', renderBuckets(view, ({ weight }) => weight, { most: 1, room })],
    ['Clients', renderBuckets(view, ({ clientCount }) => clientCount, { most, room })],
    ['', `at most ${formatCount(view.maxClientCount)} of ${formatCount(view.maxTotalClientCount)} at a time`],
  ].flatMap(([label = '', ...phrases]) =>
    wrapPhrases(phrases, { width, first: label.padEnd(labelWidth), rest: ' '.repeat(labelWidth) }),
  );
  const countries = view.countryMultipliers.toSorted((one, other) => (other.multiplier ?? 0) - (one.multiplier ?? 0));
  const table = renderTable(countryColumns, countries, columns);
  return `${lines.join('\n')}\n${table === '' ? '' : `\n${table}`}`;
}

const labelWidth = 13;

/** One character a bucket, or a mean of several where there is no room for all. */
function renderBuckets(
  { buckets }: ReliabilityView,
  read: (bucket: BucketView) => number | null,
  { most, room }: { readonly most: number; readonly room: number },
): string {
  const values = squeeze(
    buckets.map((bucket) => read(bucket) ?? undefined),
    room,
  );
  return renderSparkline(values, Math.max(most, ...values.map((value) => value ?? 0)));
}

function toWindowPhrases({ windowStartAt, windowEndAt, buckets, bucketSeconds }: ReliabilityView): readonly string[] {
  const length = bucketSeconds === null ? '' : ` of ${formatSeconds(bucketSeconds)}`;
  return [`${formatMoment(windowStartAt)} to`, `${formatMoment(windowEndAt)},`, `${buckets.length} buckets${length}`];
}

const countryColumns: readonly Column<MultiplierView>[] = [
  { title: 'Country', read: ({ country }) => country ?? unknown, least: 16 },
  { title: 'Code', read: ({ countryCode }) => countryCode ?? unknown, least: 4 },
  { title: 'Multiplier', read: ({ multiplier }) => multiplier?.toFixed(2) ?? unknown, align: 'right' },
];
