import { hourMs } from '../lib/units.ts';
import {
  addFigures,
  type Figures,
  measureGrowth,
  pickFigures,
  type Reading,
} from './ledger-figures.ts';
import { appendLines, dropOldest, findNewestLine, readLines } from './ledger-files.ts';
import { chooseHour, type LedgerLine } from './ledger-line.ts';

/** The present statistics, and whether traffic may pass. */
export interface LedgerReading extends Reading {
  readonly isProviding: boolean;
}

/**
 * The device's own record by hour and by day. One process writes it; any other may read its files
 * meanwhile.
 */
export interface Ledger {
  /**
   * Counts what grew since the last reading; written once an hour, sooner under traffic.
   * @throws state-unreadable, state-unwritable
   */
  note(reading: LedgerReading): Promise<void>;
  /**
   * Keeps what the service counted beside our own counts, where it is new.
   * @throws state-unreadable, state-unwritable
   */
  noteService(lines: readonly LedgerLine[]): Promise<void>;
  /** The hours that are counted and not in the files yet, the oldest first. */
  unwritten(): readonly LedgerLine[];
  /**
   * Writes everything that is not written yet. The ledger may be used further.
   * @throws state-unwritable
   */
  close(): Promise<void>;
}

/**
 * An hour being counted. All that a counter counted before `reached` is in this hour or an earlier
 * one.
 */
interface Hour extends Figures {
  readonly start: string;
  readonly reached: Reading;
}

/** At rest an hour is written once. This much traffic is worth writing sooner. */
const worthWritingBytes = 64 * 1024 ** 2;
const writeEveryMs = 600_000;
/** A process that did not run for longer than this did not provide during the whole step. */
const longestStepSeconds = 120;
/** A mean over less time than this says little. */
const shortestPeakSeconds = 5;
/** How many hours wait while the disk cannot be written; beyond them the oldest are lost. */
const mostWaiting = 1000;
const hourSeconds = hourMs / 1000;

/** Opens the ledger and continues after its newest line. @throws state-unreadable */
export async function openLedger({
  directory,
  now,
}: {
  readonly directory: string;
  readonly now: () => Date;
}): Promise<Ledger> {
  const last = await findNewestLine(directory);
  let sequence = last?.sequence ?? 0;
  let reached: Reading = last?.reached ?? {};
  let current: Hour | undefined = last && { start: last.start, ...pickFigures(last), reached };
  let waiting: readonly Hour[] = [];
  let unfiled = pickFigures({});
  let before: { readonly atMs: number; readonly isProviding: boolean } | undefined;
  /** When the current hour was last written, and what had been counted then. */
  let written = last && { atMs: performance.now(), reached };
  let roomMadeIn: string | undefined;

  const take = ({ isProviding, ...figures }: LedgerReading) => {
    const atMs = performance.now();
    const stepSeconds = before === undefined ? 0 : (atMs - before.atMs) / 1000;
    const growth = measureGrowth(reached, figures);
    unfiled = addFigures(unfiled, {
      ...growth,
      providingSeconds:
        before?.isProviding === true ? Math.min(stepSeconds, longestStepSeconds) : 0,
      peakBytesPerSecond: stepSeconds >= shortestPeakSeconds ? sumBytes(growth) / stepSeconds : 0,
    });
    reached = { ...reached, ...figures };
    before = { atMs, isProviding };
  };
  const file = (hour: Hour): Hour => {
    const sum = addFigures(hour, unfiled);
    unfiled = pickFigures({});
    return {
      start: hour.start,
      ...sum,
      providingSeconds: Math.min(sum.providingSeconds, hourSeconds),
      reached,
    };
  };
  /**
   * Opens another hour. The ended hour gets the seconds since the last reading that lie before its
   * end.
   */
  const turnTo = async (start: string): Promise<Hour> => {
    const known = (await readLines(directory, { first: start, last: start })).get(start);
    const opened = { start, ...pickFigures(known ?? {}), reached };
    if (current === undefined) return opened;
    const secondsAfter = (now().getTime() % hourMs) / 1000;
    const secondsBefore = Math.max(0, unfiled.providingSeconds - secondsAfter);
    const providingSeconds = Math.min(current.providingSeconds + secondsBefore, hourSeconds);
    waiting = [...waiting, { ...current, providingSeconds }].slice(-mostWaiting);
    unfiled = { ...unfiled, providingSeconds: unfiled.providingSeconds - secondsBefore };
    return opened;
  };
  const write = async (hours: readonly Hour[]) => {
    const lines = hours.map((hour, index) => ({
      ...hour,
      ...pickFigures(hour),
      sequence: sequence + index + 1,
    }));
    await appendLines(directory, lines);
    sequence += lines.length;
    waiting = [];
  };
  const writeAll = async () => {
    await write(current === undefined ? waiting : [...waiting, current]);
    written = { atMs: performance.now(), reached };
  };
  const isDue = ({ atMs, reached: before }: NonNullable<typeof written>) =>
    sumBytes(measureGrowth(before, reached)) >= worthWritingBytes &&
    performance.now() - atMs >= writeEveryMs;
  return {
    async note(reading) {
      const isFirst = before === undefined;
      take(reading);
      // What grew while no agent ran was forwarded under the permit of the last agent, so it
      // belongs to that agent's hour.
      if (isFirst && current !== undefined) current = file(current);
      const start = chooseHour(now().getTime(), current?.start);
      if (start === undefined) return;
      current = file(current?.start === start ? current : await turnTo(start));
      if (waiting.length > 0) await write(waiting);
      // The first hour of all is written at once, so that later readings know where counting began.
      if (written === undefined || isDue(written)) await writeAll();
      const month = start.slice(0, 7);
      if (roomMadeIn !== month) await dropOldest(directory, month);
      roomMadeIn = month;
    },
    async noteService(lines) {
      const days = lines.map(({ start }) => start.slice(0, 10)).toSorted();
      const known = await readLines(directory, { first: days[0] ?? '', last: days.at(-1) ?? '' });
      const isNew = (line: LedgerLine) => {
        const before = known.get(line.start);
        return Object.entries(line).some(
          ([name, value]) => before?.[name as keyof LedgerLine] !== value,
        );
      };
      await appendLines(directory, lines.filter(isNew));
    },
    unwritten: () => [...waiting, ...(current === undefined ? [] : [current])],
    close: writeAll,
  };
}

function sumBytes({ upBytes = 0, downBytes = 0 }: Reading): number {
  return upBytes + downBytes;
}
