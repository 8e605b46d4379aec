const usualSeconds = 25;
/**
 * Firewalls, this device's own too, forget a silent connection after two minutes, and then the
 * other end is not let in.
 */
const mostSeconds = 60;

/**
 * WireGuard's PersistentKeepalive, 1 to 60 whole seconds: the one that the text names, else 25; at
 * most the interval in which the device asks the service again.
 */
export function choosePersistentKeepaliveSeconds(
  textSeconds: number | undefined,
  renewSeconds: number,
): number {
  const isUsable = textSeconds !== undefined && Number.isFinite(textSeconds) && textSeconds > 0;
  const desired = isUsable ? Math.ceil(textSeconds) : usualSeconds;
  return Math.max(1, Math.min(desired, mostSeconds, Math.floor(renewSeconds)));
}
