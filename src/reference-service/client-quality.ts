import { dayMs, hourMs } from './usage-unit.ts';

/** Bytes a second that earn half of what speed can earn. */
const middlingBytesPerSecond = 1_250_000;
/** The worth of a client whose speed is not measured yet, next to a fast one's. */
const unmeasuredWorth = 0.25;

/** What is known of a client. */
interface ClientRecord {
  /** 0 where it never served. */
  readonly bytesPerSecond: number;
  /** Of the last day. */
  readonly onlineMs: number;
  /** Since it was registered. */
  readonly ageMs: number;
}

/**
 * From 0 to 1, in hundredths: the share of the last day (or of its life, if that is shorter, but an hour at least) that
 * it was online, times what its speed is worth, which grows from a quarter, for none measured, towards 1.
 */
export function rateClient({ bytesPerSecond, onlineMs, ageMs }: ClientRecord): number {
  const onlineShare = Math.min(1, onlineMs / Math.max(hourMs, Math.min(dayMs, ageMs)));
  const speed = bytesPerSecond / (bytesPerSecond + middlingBytesPerSecond);
  return Math.round(100 * onlineShare * (unmeasuredWorth + (1 - unmeasuredWorth) * speed)) / 100;
}

/**
 * A client's speed after another measurement, both in bytes a second. Only a consumer who takes all that it can give shows
 * how fast it is, so a faster stretch counts for half, and a slower one for little.
 */
export function blendSpeed(known: number, measured: number): number {
  if (known === 0) return Math.round(measured);
  return Math.round(known + (measured - known) * (measured > known ? 1 / 2 : 1 / 32));
}
