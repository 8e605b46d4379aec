import { dayMs, hourMs } from '../lib/units.ts';

/** Bytes per second that earn half of what speed can earn. */
const middlingBytesPerSecond = 1_250_000;
/** What an unmeasured client is worth, compared with a fast one. */
const unmeasuredWorth = 0.25;

/**
 * Its speed, 0 if it never served; its time online on the last day; the time since it was
 * registered.
 */
type ClientRecord = Readonly<Record<'bytesPerSecond' | 'onlineMs' | 'ageMs', number>>;

/**
 * 0 to 1: the share of the last day (or of a shorter life, at least an hour) that it was online,
 * times what its speed is worth.
 */
export function rateClient({ bytesPerSecond, onlineMs, ageMs }: ClientRecord): number {
  const onlineShare = Math.min(1, onlineMs / Math.max(hourMs, Math.min(dayMs, ageMs)));
  const speed = bytesPerSecond / (bytesPerSecond + middlingBytesPerSecond);
  return Math.round(100 * onlineShare * (unmeasuredWorth + (1 - unmeasuredWorth) * speed)) / 100;
}

/**
 * The new speed, in bytes per second. Only a greedy consumer shows how fast a client is, so a
 * faster measurement counts for half and a slower one for little.
 */
export function blendSpeed(known: number, measured: number): number {
  if (known === 0) return Math.round(measured);
  return Math.round(known + (measured - known) * (measured > known ? 1 / 2 : 1 / 32));
}
