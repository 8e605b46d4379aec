import { computeBackoffMs } from '../lib/backoff.ts';

const leastSeconds = 5;
const mostSeconds = 21_600;
const usualPersistentSeconds = 25;
/**
 * Firewalls, this device's own too, forget a silent connection after two minutes, and then the
 * other end is not let in.
 */
const mostPersistentSeconds = 60;

/**
 * Whole seconds between two re-authentications, 5 to 21600; no positive number (production sends
 * 0): the default.
 */
export function chooseKeepaliveSeconds(
  rawSeconds: number | null | undefined,
  defaultSeconds: number,
): number {
  const isUsable = typeof rawSeconds === 'number' && Number.isFinite(rawSeconds) && rawSeconds > 0;
  return Math.min(
    Math.max(Math.ceil(isUsable ? rawSeconds : defaultSeconds), leastSeconds),
    mostSeconds,
  );
}

/**
 * WireGuard's PersistentKeepalive, 1 to 60 whole seconds: the text's, else 25; at most the
 * service's keep-alive.
 */
export function choosePersistentKeepaliveSeconds(
  textSeconds: number | undefined,
  keepaliveSeconds: number,
): number {
  const isUsable = textSeconds !== undefined && Number.isFinite(textSeconds) && textSeconds > 0;
  const desired = isUsable ? Math.ceil(textSeconds) : usualPersistentSeconds;
  return Math.max(1, Math.min(desired, mostPersistentSeconds, Math.floor(keepaliveSeconds)));
}

/**
 * Milliseconds to the next keep-alive: 80 to 100 % of the interval, so that none is late and
 * devices do not stay in step.
 */
export function spreadKeepaliveMs(
  keepaliveSeconds: number | undefined,
  random: () => number,
): number {
  return (keepaliveSeconds ?? 60) * 1000 * (0.8 + random() / 5);
}

/**
 * Milliseconds to the next try, at least a quarter interval: the service expects one in each;
 * undefined: no client.
 */
export function chooseRetryMs(
  failures: number,
  keepaliveSeconds: number | undefined,
  random: () => number,
): number {
  const baseMs = (keepaliveSeconds ?? 1) * 2000;
  const bounds = { baseMs, maxMs: Math.max(300_000, baseMs) };
  return Math.max(500, baseMs / 8) + computeBackoffMs(failures, bounds, random);
}
