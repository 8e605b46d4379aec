import { isClockSet } from '../lib/clock.ts';
import { findLast, type LedgerFile, openLedgerFile, toNewestCopies } from './ledger-file.ts';
import { areas, unitMs } from './ledger-places.ts';
import { addGrowth, type LedgerRow, noGrowth, toDay, toEmptyRow, toNewestShown, toRow } from './ledger-row.ts';

/** An hour or a day as it was counted here, beside what the service counted; undefined where that said nothing. */
export interface HistoryRow {
  readonly startMs: number;
  readonly providingSeconds: number;
  readonly upBytes: number;
  readonly downBytes: number;
  readonly refusedPackets: number;
  /** The highest mean of both directions between two readings, seconds apart. */
  readonly peakBytesPerSecond: number;
  readonly serviceOnlineSeconds: number | undefined;
  /** By the day only. */
  readonly serviceBytes: number | undefined;
  /** By the day only. */
  readonly servicePayoutUsdc: number | undefined;
}

export interface HistoryQuestion {
  readonly unit: 'hour' | 'day';
  /** Rows that begin before are left out. */
  readonly sinceMs: number;
}

export interface HistoryPlace {
  readonly directory: string;
  readonly nowMs: number;
  /** Hours that the agent has not written yet. */
  readonly unwritten?: readonly LedgerRow[];
}

/** Rows in which an agent ran, the oldest first; days are those of UTC. Safe while an agent writes. @throws state-unreadable */
export async function readHistory(
  { unit, sinceMs }: HistoryQuestion,
  { directory, nowMs, unwritten = [] }: HistoryPlace,
): Promise<readonly HistoryRow[]> {
  const file = openLedgerFile(directory, () => undefined);
  const newestHour = isClockSet(nowMs) ? toNewestShown(nowMs) : await findNewest(file, unwritten);
  const newest = unit === 'hour' ? newestHour : toDay(newestHour);
  const first = Math.max(0, Math.ceil(sinceMs / unitMs[unit]));
  if (newest < first) return [];
  const rows =
    unit === 'hour'
      ? await readHours(file, { first, newest, unwritten })
      : await readDays(file, { first, newest, unwritten });
  const service = await readService(file, unit, { first, newest });
  return [...rows.values()]
    .toSorted((one, other) => one.number - other.number)
    .map((row) => ({
      startMs: row.number * unitMs[unit],
      providingSeconds: Math.round(row.providingSeconds),
      upBytes: row.upBytes,
      downBytes: row.downBytes,
      refusedPackets: row.refusedPackets,
      peakBytesPerSecond: Math.round(row.peakBytesPerSecond),
      ...(service.get(row.number) ?? nothing),
    }));
}

const nothing = { serviceOnlineSeconds: undefined, serviceBytes: undefined, servicePayoutUsdc: undefined } as const;

interface Range {
  readonly first: number;
  readonly newest: number;
}

interface CountedRange extends Range {
  readonly unwritten: readonly LedgerRow[];
}

type Rows = ReadonlyMap<number, LedgerRow>;

async function readHours(file: LedgerFile, { first, newest, unwritten }: CountedRange): Promise<Rows> {
  const found = toNewestCopies(await file.find(areas.hour, first, newest));
  const rows = new Map([...found.values()].map(({ values }) => [values.number, toRow(values)]));
  for (const row of unwritten.filter(({ number }) => number >= first && number <= newest)) {
    // Whoever tells of it may not know of the peak.
    const peakBytesPerSecond = Math.max(row.peakBytesPerSecond, rows.get(row.number)?.peakBytesPerSecond ?? 0);
    rows.set(row.number, { ...row, peakBytesPerSecond });
  }
  return rows;
}

/** Days as they were summed up when they were over; of one that is not, or was counted in once more since, its hours. */
async function readDays(file: LedgerFile, { first, newest, unwritten }: CountedRange): Promise<Rows> {
  const range = { first: first * 24, newest: newest * 24 + 23 };
  const summed = new Map((await file.find(areas.day, first, newest)).map(({ values }) => [values.number, values]));
  for (const { values } of await file.find(areas.hour, range.first, range.newest)) {
    const day = summed.get(toDay(values.number));
    if (day !== undefined && (values.sequence ?? 0) > (day.sequence ?? 0)) summed.delete(day.number);
  }
  for (const { number } of unwritten) summed.delete(toDay(number));
  const days = new Map([...summed.values()].map((values) => [values.number, toRow(values)]));
  for (const hour of (await readHours(file, { ...range, unwritten })).values()) {
    const day = toDay(hour.number);
    if (!summed.has(day)) days.set(day, addGrowth(days.get(day) ?? toEmptyRow(day, noGrowth), hour));
  }
  return days;
}

async function readService(file: LedgerFile, unit: HistoryQuestion['unit'], { first, newest }: Range) {
  const found = await file.find(unit === 'hour' ? areas.serviceHour : areas.serviceDay, first, newest);
  return new Map(
    found.map(({ values: { number, onlineSeconds, bytes, payoutMicroUsdc } }) => [
      number,
      {
        serviceOnlineSeconds: onlineSeconds,
        serviceBytes: bytes,
        servicePayoutUsdc: payoutMicroUsdc === undefined ? undefined : payoutMicroUsdc / 1e6,
      },
    ]),
  );
}

/** Without a clock, time ends with the row that was written last. */
async function findNewest(file: LedgerFile, unwritten: readonly LedgerRow[]): Promise<number> {
  return unwritten.at(-1)?.number ?? (await findLast(file))?.values.number ?? -1;
}
