const leastSeconds = 5;
const mostSeconds = 21_600;
const usualPersistentSeconds = 25;
/** Firewalls, this device's own too, forget a silent connection after two minutes, and then the other end is not let in. */
const mostPersistentSeconds = 60;

/**
 * Whole seconds between two re-authentications, 5 to 21600, from `keepalive_seconds` as the service sent it: production
 * sends 0, and anything that is no positive number means the default.
 */
export function chooseKeepaliveSeconds(rawSeconds: number | null | undefined, defaultSeconds: number): number {
  const isUsable = typeof rawSeconds === 'number' && Number.isFinite(rawSeconds) && rawSeconds > 0;
  return Math.min(Math.max(Math.ceil(isUsable ? rawSeconds : defaultSeconds), leastSeconds), mostSeconds);
}

/**
 * WireGuard's PersistentKeepalive in whole seconds: what the issued text asks for (25 where it names none, or nonsense),
 * but at least 1, at most 60, and never longer than the service's keep-alive.
 */
export function choosePersistentKeepaliveSeconds(textSeconds: number | undefined, keepaliveSeconds: number): number {
  const isUsable = textSeconds !== undefined && Number.isFinite(textSeconds) && textSeconds > 0;
  const desired = isUsable ? Math.ceil(textSeconds) : usualPersistentSeconds;
  return Math.max(1, Math.min(desired, mostPersistentSeconds, Math.floor(keepaliveSeconds)));
}
