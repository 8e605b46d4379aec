import type { OnSetAside } from '../system/state-file.ts';
import { findLast, type LedgerFile, openLedgerFile, toCopy, toNewestCopies } from './ledger-file.ts';
import { areas, unitMs } from './ledger-places.ts';
import {
  addGrowth,
  type Growth,
  type LedgerRow,
  type LedgerTotals,
  noGrowth,
  toDay,
  toEmptyRow,
  toFiledHour,
  toRecordValues,
  toRow,
  toTotalsGrowth,
} from './ledger-row.ts';
import { type ServiceRows, writeServiceRows } from './service-rows.ts';

/** The counters now, and whether traffic is let through. */
export interface LedgerReading extends LedgerTotals {
  readonly isProviding: boolean;
}

/** The device's own record by hour and by day. One process writes it; any may read the file meanwhile. */
export interface Ledger {
  /** Counts what grew since the last reading; written once an hour, sooner under traffic. @throws state-unreadable, state-unwritable */
  note(reading: LedgerReading): Promise<void>;
  /** Beside ours, what the service counted. @throws state-unreadable, state-unwritable */
  noteService(rows: ServiceRows): Promise<void>;
  /** Hours that may not be in the file yet. */
  unwritten(): readonly LedgerRow[];
  /** Writes what is not written yet. @throws state-unwritable */
  close(): Promise<void>;
}

export interface LedgerOptions {
  readonly directory: string;
  readonly onSetAside: OnSetAside;
  readonly now: () => Date;
}

/** A row, and which of its two copies in the file is the newer one; undefined: neither. */
interface OpenRow {
  readonly row: LedgerRow;
  readonly copy: number | undefined;
}

/** An hour at rest is one write; so much traffic is worth one sooner. */
const worthWritingBytes = 64 * 1024 ** 2;
const writeEveryMs = 600_000;
/** A process that stood still for longer did not provide all the while. */
const longestStepSeconds = 120;
/** A mean over less says little. */
const shortestPeakSeconds = 5;
/** Of a disk that takes nothing for longer, the oldest hours are lost. */
const mostWaiting = 1000;

/** @throws state-unreadable */
export async function openLedger({ directory, onSetAside, now }: LedgerOptions): Promise<Ledger> {
  const store = openLedgerFile(directory, onSetAside);
  const last = await findLast(store);
  let sequence = last?.values.sequence ?? 0;
  let current: OpenRow | undefined = last && { row: toRow(last.values), copy: toCopy(last) };
  let waiting: readonly OpenRow[] = [];
  let totals = current?.row.totals;
  let unfiled: Growth = noGrowth;
  let before: { readonly atMs: number; readonly isProviding: boolean } | undefined;
  let written: Written | undefined;

  const writeHour = async ({ row, copy }: OpenRow): Promise<OpenRow> => {
    const next = copy === 0 ? 1 : 0;
    await store.write(areas.hour, { ...toRecordValues(row, sequence + 1, 'hour'), number: row.number }, next);
    sequence += 1;
    return { row, copy: next };
  };
  /** Hours that are over, each before its day, and the day before the next hour: so the last one written tells what is missing. */
  const flushWaiting = async () => {
    for (let own = waiting[0]; own !== undefined; own = waiting[0]) {
      waiting = [await writeHour(own), ...waiting.slice(1)];
      const day = toDay(own.row.number);
      const following = waiting[1] ?? current;
      if (following !== undefined && toDay(following.row.number) !== day) await writeDay(store, day, sequence);
      waiting = waiting.slice(1);
    }
  };
  const flush = async () => {
    await flushWaiting();
    if (current !== undefined) current = await writeHour(current);
    written = totals && { atMs: performance.now(), totals };
  };
  const take = (reading: LedgerReading) => {
    const atMs = performance.now();
    const stepSeconds = before === undefined ? 0 : (atMs - before.atMs) / 1000;
    const grown = totals === undefined ? noGrowth : toTotalsGrowth(totals, reading);
    const isMean = stepSeconds >= shortestPeakSeconds;
    unfiled = addGrowth(unfiled, {
      ...grown,
      providingSeconds: before?.isProviding === true ? Math.min(stepSeconds, longestStepSeconds) : 0,
      peakBytesPerSecond: isMean ? (grown.upBytes + grown.downBytes) / stepSeconds : 0,
    });
    const { upBytes, downBytes, refusedPackets } = reading;
    totals = { upBytes, downBytes, refusedPackets };
    before = { atMs, isProviding: reading.isProviding };
    return totals;
  };
  /** Counts all that is not filed yet in the row that is open. */
  const file = (open: OpenRow, reached: LedgerTotals): OpenRow => {
    const row = { ...addGrowth(open.row, unfiled), totals: reached };
    unfiled = noGrowth;
    return { ...open, row };
  };
  /** Opens another hour; of the seconds since the last reading, the hour that ends has those before its end. */
  const turnTo = async (number: number, reached: LedgerTotals): Promise<OpenRow> => {
    const opened = (await findRow(store, number)) ?? { row: toEmptyRow(number, reached), copy: undefined };
    if (current === undefined) return opened;
    const secondsBefore = Math.max(0, unfiled.providingSeconds - (now().getTime() % unitMs.hour) / 1000);
    const row = { ...current.row, providingSeconds: current.row.providingSeconds + secondsBefore };
    waiting = [...waiting, { ...current, row }].slice(-mostWaiting);
    unfiled = { ...unfiled, providingSeconds: unfiled.providingSeconds - secondsBefore };
    return opened;
  };
  return {
    async note(reading) {
      const isFirst = before === undefined;
      const reached = take(reading);
      // What grew while no agent ran went through under the last one's permit, and belongs to its hour.
      if (isFirst && current !== undefined) current = file(current, reached);
      const number = toFiledHour(now().getTime(), current?.row.number);
      if (number === undefined) return;
      const open = current?.row.number === number ? current : await turnTo(number, reached);
      current = file(open, reached);
      await flushWaiting();
      // The very first row says from where on it is counted.
      const isBegun = last !== undefined || written !== undefined;
      written ??= { atMs: performance.now(), totals: reached };
      if (!isBegun || isBusy(written, reached)) await flush();
    },
    noteService: (rows) => writeServiceRows(store, rows),
    unwritten: () => [...waiting, ...(current === undefined ? [] : [current])].map(({ row }) => row),
    close: flush,
  };
}

/** When the row that is counted in was last written, and what had been counted then. */
interface Written {
  readonly atMs: number;
  readonly totals: LedgerTotals;
}

function isBusy(written: Written, now: LedgerTotals): boolean {
  const grown = toTotalsGrowth(written.totals, now);
  return grown.upBytes + grown.downBytes >= worthWritingBytes && performance.now() - written.atMs >= writeEveryMs;
}

async function findRow(file: LedgerFile, number: number): Promise<OpenRow | undefined> {
  const found = toNewestCopies(await file.find(areas.hour, number, number)).get(number);
  return found && { row: toRow(found.values), copy: toCopy(found) };
}

/** The sum of a day's hours, which are written before it. */
async function writeDay(file: LedgerFile, day: number, sequence: number): Promise<void> {
  const hours = [...toNewestCopies(await file.find(areas.hour, day * 24, day * 24 + 23)).values()];
  const sum = hours.map(({ values }) => toRow(values)).reduce(addGrowth<LedgerRow>, toEmptyRow(day, noGrowth));
  await file.write(areas.day, { ...toRecordValues(sum, sequence, 'day'), number: day }, 0);
}
