/** Milliseconds of an hour. */
export const hourMs = 3_600_000;
/** Milliseconds of a day. */
export const dayMs = 24 * hourMs;

/** What a client did in some stretch of time, as counted on its peer. */
export interface Usage {
  readonly rxBytes: number;
  readonly txBytes: number;
  readonly onlineMs: number;
  /** Stretches in which consumers' traffic was given to it and moved. */
  readonly sessions: number;
  /** Searches that named it. */
  readonly searches: number;
}

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

/** The usage of one hour; `hourMs` is its start in Unix milliseconds. */
export interface HourUsage extends Usage {
  readonly hourMs: number;
}

/** The usage of one day, or of a part of it; `day` counts days since 1970 (UTC). */
export interface DayUsage extends Usage {
  readonly day: number;
}

/** What is counted of a stretch. */
const names = ['rxBytes', 'txBytes', 'onlineMs', 'sessions', 'searches'] as const satisfies readonly (keyof Usage)[];
/** The same, as the fields of a statement. */
export const usageFields = 'rxBytes txBytes onlineMs sessions searches';

/** Nothing at all. */
export const noUsage: Usage = { rxBytes: 0, txBytes: 0, onlineMs: 0, sessions: 0, searches: 0 };

/** Several stretches as one. */
export function sumUsage(stretches: readonly Usage[]): Usage {
  const sum = { ...noUsage };
  for (const stretch of stretches) {
    for (const name of names) sum[name] += stretch[name];
  }
  return sum;
}

/** True where there is nothing to count. */
export function isNothing(usage: Usage): boolean {
  return names.every((name) => usage[name] === 0);
}

/** The start of the hour that a moment lies in, both in Unix milliseconds (UTC). */
export function toHourStart(atMs: number): number {
  return Math.floor(atMs / hourMs) * hourMs;
}

/** The day since 1970 (UTC) that a moment lies in, given in Unix milliseconds. */
export function toDay(atMs: number): number {
  return Math.floor(atMs / dayMs);
}
