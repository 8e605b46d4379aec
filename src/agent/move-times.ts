import { isClockSet } from '../lib/clock.ts';

/**
 * A copy in which times that were taken before the clock was set lie where they would lie by the
 * clock as it is now; `byMs`: how far it was set ahead. A board without a clock boots in 1970, and
 * its status would otherwise say that something lasts for decades.
 */
export function moveUnsetTimes<T>(value: T, byMs: number): T {
  return move(value, byMs) as T;
}

function move(value: unknown, byMs: number): unknown {
  if (value instanceof Date)
    return isClockSet(value.getTime()) ? value : new Date(value.getTime() + byMs);
  if (Array.isArray(value)) return value.map((item) => move(item, byMs));
  if (typeof value !== 'object' || value === null) return value;
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, move(item, byMs)]));
}
