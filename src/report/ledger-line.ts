import { hash } from 'node:crypto';
import { isClockSet } from '../lib/clock.ts';
import { dayMs, hourMs } from '../lib/units.ts';
import { addFigures, type Figures, pickFigures, type Reading } from './ledger-figures.ts';

/** What the service counted in an hour or a day. Bytes and payout are only counted by day. */
export interface ServiceCount {
  readonly serviceOnlineSeconds: number | undefined;
  readonly serviceBytes: number | undefined;
  readonly servicePayoutUsdc: number | undefined;
  /**
   * Until when the service had counted, in ms; for an hour or day that was not over, this is before
   * its end.
   */
  readonly serviceUntilMs: number | undefined;
}

/** One line: what this device counted, what the service counted, or both. */
export interface LedgerLine extends Partial<Figures>, Partial<ServiceCount> {
  /** The hour in UTC (`2026-05-04T13:00Z`), or the day (`2026-05-04`). */
  readonly start: string;
  /**
   * Higher with every line that this device counted, so the line with the highest was written last.
   */
  readonly sequence?: number;
  /**
   * The statistics at the last reading. All that a counter counted before it is in this line or an
   * earlier one.
   */
  readonly reached?: Reading;
}

/** Milliseconds of an hour and of a day. */
export const unitMs = { hour: hourMs, day: dayMs } as const;
export type TimeUnit = keyof typeof unitMs;

/** The start of the hour or day that contains this time, in the form that lines use. */
export function startAt(unit: TimeUnit, atMs: number): string {
  const iso = new Date(atMs).toISOString();
  return unit === 'hour' ? `${iso.slice(0, 13)}:00Z` : iso.slice(0, 10);
}

/** True for a line with counts of this device. */
export function isCounted({ providingSeconds }: LedgerLine): boolean {
  return providingSeconds !== undefined;
}

/**
 * Renders a line. It begins with a line break, so that a torn line before it, after a power cut,
 * costs only itself.
 */
export function renderLine(line: LedgerLine): string {
  const { start, ...rest } = line;
  const json = JSON.stringify({ start, ...rest });
  return `\n${json.slice(0, -1)}${renderCheck(json)}`;
}

/**
 * The parts of the text that look like lines, even where a power cut left something before or
 * behind them.
 */
export function splitLines(text: string): readonly string[] {
  return text.match(/\{"start":"[^\n]*?"check":"[0-9a-f]{8}"\}/g) ?? [];
}

/** The line; undefined for text that is not a whole line. */
export function parseLine(text: string): LedgerLine | undefined {
  const json = `${text.slice(0, -checkLength)}}`;
  return text.endsWith(renderCheck(json)) ? JSON.parse(json) : undefined;
}

const checkLength = ',"check":"12345678"}'.length;

function renderCheck(json: string): string {
  return `,"check":"${hash('sha256', json).slice(0, 8)}"}`;
}

/** The lines of days: sums of their hours where hours are known, otherwise unchanged. */
export function sumByDay(lines: ReadonlyMap<string, LedgerLine>): ReadonlyMap<string, LedgerLine> {
  const isHour = (start: string) => start.length > 10;
  const days = new Map([...lines].filter(([start]) => !isHour(start)));
  const hours = [...lines.values()].filter((line) => isHour(line.start) && isCounted(line));
  for (const [day, own] of Map.groupBy(hours, ({ start }) => start.slice(0, 10))) {
    days.set(day, { ...days.get(day), start: day, ...own.reduce(addFigures, pickFigures({})) });
  }
  return days;
}

/**
 * A clock that is at most this far behind the newest hour counts as late. Hours that are farther
 * ahead of the clock are not shown.
 */
export const latestMs = 48 * hourMs;

/**
 * The hour to count in now; undefined where nothing tells the time. While the clock was never set,
 * or is late (a board without a clock begins where it was switched off, or in 1970), counting stays
 * in the newest hour. An hour more than two days ahead of a clock that is set was a mistake, and is
 * left behind.
 */
export function chooseHour(nowMs: number, newest: string | undefined): string | undefined {
  if (!isClockSet(nowMs)) return newest;
  const hour = startAt('hour', nowMs);
  if (newest === undefined || hour >= newest) return hour;
  return Date.parse(newest) - Date.parse(hour) <= latestMs ? newest : hour;
}
