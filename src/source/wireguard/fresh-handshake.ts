/** What is known of the tunnel's last handshake. */
export interface HandshakeFacts {
  readonly lastHandshakeAt: Date | undefined;
  readonly persistentKeepaliveSeconds: number | undefined;
}

/**
 * WireGuard drops a session after 180 s; a silent tunnel speaks once in a keepalive interval. The
 * future is fresh.
 */
export function hasFreshHandshake(tunnel: HandshakeFacts, now: Date): boolean {
  return countQuietSeconds(tunnel, now) <= 180;
}

/**
 * WireGuard begins the next handshake after 120 s, and tries every 5 s: three tries were not
 * answered.
 */
export function isHandshakeOverdue(tunnel: HandshakeFacts, now: Date): boolean {
  return countQuietSeconds(tunnel, now) > 135;
}

/** Since the last handshake, less the keepalive interval in which nothing need be sent. */
function countQuietSeconds(
  { lastHandshakeAt, persistentKeepaliveSeconds = 25 }: HandshakeFacts,
  now: Date,
): number {
  if (lastHandshakeAt === undefined) return Number.POSITIVE_INFINITY;
  return (now.getTime() - lastHandshakeAt.getTime()) / 1000 - persistentKeepaliveSeconds;
}
