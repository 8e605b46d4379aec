import type { DatabaseSync } from 'node:sqlite';
import { readSetting, setSetting } from '../database.ts';

/**
 * The platform's clock, by which contracts age and blocks are counted. It may be hastened, so that
 * a quarter of an hour passes in a minute; it never goes back, also not from one life of the
 * service to the next.
 */
export interface PlatformClock {
  /** In whole ms since 1970, as far as it is not hastened. */
  now(): number;
  /** How many of its ms pass in one of ours; 1 where it is not hastened. */
  rate(): number;
  /** From now on so many of its ms pass in one of ours. */
  hasten(rate: number): void;
  /** Writes down how far it is; call it now and then, and at the end. */
  keep(): void;
}

/**
 * What the clock showed when it was kept last, or ours (`now`) where it never ran; for other
 * programs, and for what counts in days.
 */
export function readPlatformTime(database: DatabaseSync, now: () => number = Date.now): number {
  return Math.max(now(), Number(readSetting(database, setting) ?? 0));
}

const setting = 'platform-clock';

/** `now` is our own clock, in ms since 1970. */
export function createPlatformClock(
  database: DatabaseSync,
  { now, rate }: { readonly now: () => number; readonly rate: number },
): PlatformClock {
  let present = rate;
  let startedMs = now();
  let firstMs = Math.max(startedMs, Number(readSetting(database, setting) ?? 0));
  const read = (): number => Math.floor(firstMs + Math.max(0, now() - startedMs) * present);
  return {
    now: read,
    rate: () => present,
    hasten(next) {
      [firstMs, startedMs, present] = [read(), now(), next];
    },
    keep: () => setSetting(database, setting, String(read())),
  };
}
