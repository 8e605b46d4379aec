import type { Facts } from './facts.ts';

/** The counters of forwarded traffic at a moment of a monotonic clock, in ms. */
export type TrafficReading = Readonly<Record<'atMs' | 'upBytes' | 'downBytes', number>>;

/** Bytes per second each way. */
export type Speed = Readonly<Record<'up' | 'down', number>>;

/** The counters now; undefined before they were first read. */
export function readTraffic(
  { gateway: { forwardedBytes } }: Facts,
  atMs: number,
): TrafficReading | undefined {
  return forwardedBytes && { atMs, upBytes: forwardedBytes.up, downBytes: forwardedBytes.down };
}

/**
 * The speed from each reading to the next. Counters that went back were made again, and give no
 * speed.
 */
export function computeSpeeds(readings: readonly TrafficReading[]): readonly Speed[] {
  return readings.slice(1).map((after, index) => {
    const before = readings[index] ?? after;
    const seconds = Math.max(1, after.atMs - before.atMs) / 1000;
    const up = Math.max(0, after.upBytes - before.upBytes) / seconds;
    return { up, down: Math.max(0, after.downBytes - before.downBytes) / seconds };
  });
}
