const usualSeconds = 25;
/**
 * Firewalls, this device's own included, forget a silent connection after two minutes, and then the
 * other end is shut out.
 */
const mostSeconds = 60;

/**
 * WireGuard's PersistentKeepalive, 1 to 60 whole seconds: the value in the text, otherwise 25;
 * never more than the interval in which the device asks the service again.
 */
export function choosePersistentKeepaliveSeconds(
  textSeconds: number | undefined,
  renewSeconds: number,
): number {
  const isUsable = textSeconds !== undefined && Number.isFinite(textSeconds) && textSeconds > 0;
  const desired = isUsable ? Math.ceil(textSeconds) : usualSeconds;
  return Math.max(1, Math.min(desired, mostSeconds, Math.floor(renewSeconds)));
}
