import type { Row } from './statements.ts';

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

export const usageFields = 'rxBytes txBytes onlineMs sessions searches';

/** What a client did in some stretch of time, as counted on its peer. */
export type Usage = Row<typeof usageFields>;
export type HourUsage = Usage & Row<'hourMs'>;
export type DayUsage = Usage & Row<'day'>;

/** One client's part of a sample. */
export interface ClientUsage extends Usage {
  readonly clientId: string;
  readonly isConnected: boolean;
  /** The end of the stretch, in Unix milliseconds. */
  readonly atMs: number;
  /** What of the bytes belongs to a consumer's session. */
  readonly consumerBytes: number;
  /** How fast it served; undefined where the stretch says nothing about that. */
  readonly bytesPerSecond: number | undefined;
}

const names = ['rxBytes', 'txBytes', 'onlineMs', 'sessions', 'searches'] as const satisfies readonly (keyof Usage)[];

export const noUsage: Usage = { rxBytes: 0, txBytes: 0, onlineMs: 0, sessions: 0, searches: 0 };

export function sumUsage(stretches: readonly Usage[]): Usage {
  const sum = { ...noUsage };
  for (const stretch of stretches) {
    for (const name of names) sum[name] += stretch[name];
  }
  return sum;
}

/** A stretch that ends then, by the hour: time online where it was spent, everything else where it ended. */
export function splitUsage(usage: Usage, atMs: number): readonly HourUsage[] {
  const startMs = toHourStart(atMs);
  const earlierMs = Math.max(0, usage.onlineMs - (atMs - startMs));
  const last = { ...sumUsage([usage]), hourMs: startMs, onlineMs: usage.onlineMs - earlierMs };
  const earlier = Array.from({ length: Math.ceil(earlierMs / hourMs) }, (_, index) => {
    const onlineMs = Math.min(hourMs, earlierMs - index * hourMs);
    return { ...noUsage, hourMs: startMs - (index + 1) * hourMs, onlineMs };
  });
  return [...earlier, last].filter((part) => !isNothing(part));
}

export function isNothing(usage: Usage): boolean {
  return names.every((name) => usage[name] === 0);
}

/** The start of the hour that a moment lies in, both in Unix milliseconds (UTC). */
export function toHourStart(atMs: number): number {
  return Math.floor(atMs / hourMs) * hourMs;
}

/** The first hour of a window of that many hours: the current one counts, so there are never more hours in it. */
export function findWindowStart(nowMs: number, hours: number): number {
  return toHourStart(nowMs) - (hours - 1) * hourMs;
}

/** The day since 1970 (UTC) that a moment lies in, given in Unix milliseconds. */
export function toDay(atMs: number): number {
  return Math.floor(atMs / dayMs);
}
