import { minuteMs } from '../../lib/units.ts';
import type { MinuteCount } from '../source-report.ts';
import type { Sighting } from './protocol.ts';

/*
 * The network judges a provider by minutes of the clock. One counts where the provider was
 * connected and published for others, came back at most once, and did not change what it publishes.
 * A minute is a whole number here: how many have passed since 1970.
 */

/** Minutes that count, without a gap: from the first one up to `to`, which is not among them. */
export interface MinuteSpan {
  readonly from: number;
  readonly to: number;
}

/** What is remembered. All minutes before `since` are unknown, and all others are known. */
export interface MinuteRecord {
  readonly since: number;
  /** In order; no two of them touch. */
  readonly spans: readonly MinuteSpan[];
}

/** The week is the longest time that anything depends on. */
export const minutesOfWeek = 7 * 24 * 60;

export function toMinute(at: Date): number {
  return Math.floor(at.getTime() / minuteMs);
}

/** A record that begins with the next whole minute. */
export function startRecord(now: Date): MinuteRecord {
  return { since: toMinute(now) + 1, spans: [] };
}

/**
 * Adds a minute that counts. What is remembered of later ones is forgotten: the clock was ahead
 * then.
 */
export function addMinute({ since, spans }: MinuteRecord, minute: number): MinuteRecord {
  const before = spans
    .filter(({ from, to }) => from < minute && to > minute - minutesOfWeek)
    .map(({ from, to }) => ({ from, to: Math.min(to, minute) }));
  const last = before.at(-1);
  const added =
    last?.to === minute
      ? [...before.slice(0, -1), { from: last.from, to: minute + 1 }]
      : [...before, { from: minute, to: minute + 1 }];
  return { since: Math.min(since, minute), spans: added };
}

/** A record as a clock has it that was set by so many minutes, back where they are negative. */
export function moveRecord<Of extends MinuteRecord>(record: Of, minutes: number): Of {
  const spans = record.spans.map(({ from, to }) => ({ from: from + minutes, to: to + minutes }));
  return { ...record, since: record.since + minutes, spans };
}

/** How many minutes counted, of the last ones before `end` that are known. */
export function countMinutes(
  { since, spans }: MinuteRecord,
  { window, end }: { readonly window: number; readonly end: number },
): Pick<MinuteCount, 'valid' | 'known'> {
  const start = Math.max(since, end - window);
  const valid = spans.reduce(
    (sum, { from, to }) => sum + Math.max(0, Math.min(to, end) - Math.max(from, start)),
    0,
  );
  return { valid, known: Math.max(0, end - start) };
}

/** What was seen of a minute that is not over yet. */
export interface OpenMinute {
  readonly minute: number;
  readonly notes: number;
  readonly connections: number;
  readonly changes: number;
}

export function openMinute(minute: number): OpenMinute {
  return { minute, notes: 0, connections: 0, changes: 0 };
}

/** Counts what shows how the minute is judged. */
export function seeInMinute(
  open: OpenMinute,
  { sighting, isPublished }: { readonly sighting: Sighting; readonly isPublished: boolean },
): OpenMinute {
  if (sighting.kind === 'changed') return { ...open, changes: open.changes + 1 };
  if (sighting.kind !== 'noted' || !isPublished) return open;
  const connections = open.connections + Number(sighting.isFirst);
  return { ...open, notes: open.notes + 1, connections };
}

export function countsAsValid({ notes, connections, changes }: OpenMinute): boolean {
  return notes > 0 && connections <= 1 && changes === 0;
}
