/** What is known of the tunnel's last handshake. */
export interface HandshakeFacts {
  readonly lastHandshakeAt: Date | undefined;
  readonly persistentKeepaliveSeconds: number | undefined;
}

/**
 * True while the last handshake shows that the peer is alive. WireGuard drops a session after 180
 * s, and a silent tunnel sends once in a keepalive interval. A handshake in the future counts as
 * fresh.
 */
export function hasFreshHandshake(tunnel: HandshakeFacts, now: Date): boolean {
  return countQuietSeconds(tunnel, now) <= 180;
}

/**
 * True where WireGuard's own tries failed: it begins the next handshake after 120 s and tries every
 * 5 s, so three tries had no answer.
 */
export function isHandshakeOverdue(tunnel: HandshakeFacts, now: Date): boolean {
  return countQuietSeconds(tunnel, now) > 135;
}

/**
 * Seconds since the last handshake, without the keepalive interval in which nothing has to be sent.
 */
function countQuietSeconds(
  { lastHandshakeAt, persistentKeepaliveSeconds = 25 }: HandshakeFacts,
  now: Date,
): number {
  if (lastHandshakeAt === undefined) return Number.POSITIVE_INFINITY;
  return (now.getTime() - lastHandshakeAt.getTime()) / 1000 - persistentKeepaliveSeconds;
}
