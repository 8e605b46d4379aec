import { formatBitrate, formatBytes, formatSeconds, formatUsdc } from '../lib/units.ts';
import type { Facts } from './facts.ts';
import type { PhaseReport } from './phase.ts';

export interface StatisticsInput {
  readonly facts: Facts;
  readonly report: PhaseReport;
  readonly now: Date;
}

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** `none` is for states, which are 0 or 1, and for plain numbers. */
const units = ['bytes', 'bytes per second', 'seconds', 'packets', 'usdc', 'none'] as const;
export type Unit = (typeof units)[number];

/** A part of `status --json` that shows statistics of the table. */
export type StatusSection = 'tunnel' | 'gateway';

/**
 * A figure that the ledger keeps by hour and by day: how much a counter grew, or how high a gauge
 * went.
 */
interface LedgerPart {
  /** The title of its column in `stats --local`. */
  readonly title: string;
  /** The samples that are added up for it; absent for all of them. */
  readonly labels?: Sample['labels'];
}

/**
 * One statistic, by its name. Each row is in the metrics; `status` and `ledger` add it to these.
 */
export interface StatisticRow {
  readonly help: string;
  /**
   * The present value; undefined or an empty list while unknown, and then the statistic is left
   * out.
   */
  readonly read: (input: StatisticsInput) => number | undefined | readonly Sample[];
  /** Its place in `status --json`. In the text and on the page `words` follow the number. */
  readonly status?: {
    readonly section: StatusSection;
    readonly field: string;
    readonly words: string;
  };
  /** Figures for the ledger, by name. */
  readonly ledger?: Readonly<Record<string, LedgerPart>>;
  /**
   * True for a counter that is kept in a file. A lower value is then an older state of the file,
   * not a new beginning at zero.
   */
  readonly isKept?: boolean;
}

export interface Statistic extends StatisticRow {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly unit: Unit;
}

/** The statistic of a row. Its name ends with the unit, and a counter's name with `_total`. */
export function toStatistic([name, row]: readonly [string, StatisticRow]): Statistic {
  const named = name.replace(/_total$/, '');
  const unit = units.find((one) => named.endsWith(`_${one.replaceAll(' ', '_')}`)) ?? 'none';
  return { ...row, name, type: named === name ? 'gauge' : 'counter', unit };
}

/** The sum of the samples with these labels; undefined while nothing is known. */
export function readTotal(
  statistic: Statistic,
  input: StatisticsInput,
  labels: Sample['labels'] = {},
): number | undefined {
  const samples = readSamples(statistic, input).filter((sample) =>
    Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  return samples.length === 0 ? undefined : samples.reduce((sum, { value }) => sum + value, 0);
}

/** The samples that are known now, with their labels. */
export function readSamples({ read }: Statistic, input: StatisticsInput): readonly Sample[] {
  const value = read(input);
  if (value === undefined) return [];
  return typeof value === 'number' ? [{ labels: {}, value }] : value;
}

const formats: Readonly<Record<Unit, (value: number) => string>> = {
  bytes: formatBytes,
  'bytes per second': formatBitrate,
  seconds: formatSeconds,
  usdc: formatUsdc,
  packets: String,
  none: String,
};

/** A number for people, with its unit unless the words name it. */
export function formatValue(value: number, unit: Unit): string {
  return formats[unit](value);
}

/**
 * Samples of the values that were read. An unread counter must not be shown as 0: a program that
 * adds up growth would count it twice.
 */
export function toSamples(
  label: string,
  values: Readonly<Record<string, number | undefined>> = {},
): readonly Sample[] {
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [{ labels: { [label]: name }, value }],
  );
}

/** Undefined stays undefined. */
export function toUnixSeconds(date: Date | undefined): number | undefined {
  return date === undefined ? undefined : date.getTime() / 1000;
}
