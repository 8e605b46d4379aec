/** What is known of the tunnel's last handshake. */
export interface HandshakeFacts {
  readonly lastHandshakeAt: Date | undefined;
  readonly persistentKeepaliveSeconds: number | undefined;
}

/** WireGuard drops a session after so long without a new handshake. */
const sessionSeconds = 180;
/** Where WireGuard sends no keepalive of its own, other packets keep a tunnel in use as often. */
const usualKeepaliveSeconds = 25;

/**
 * Until when the other end counts as there: a session lasts 180 s, and a silent tunnel speaks once
 * in a keepalive interval. undefined: there was no handshake. This is the one rule of freshness.
 */
export function findFreshUntil({
  lastHandshakeAt,
  persistentKeepaliveSeconds = usualKeepaliveSeconds,
}: HandshakeFacts): Date | undefined {
  if (lastHandshakeAt === undefined) return undefined;
  const freshMs = (sessionSeconds + persistentKeepaliveSeconds) * 1000;
  return new Date(lastHandshakeAt.getTime() + freshMs);
}

/** True until then; a handshake that seems to lie ahead is fresh. */
export function hasFreshHandshake(tunnel: HandshakeFacts, now: Date): boolean {
  const until = findFreshUntil(tunnel);
  return until !== undefined && now <= until;
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
  { lastHandshakeAt, persistentKeepaliveSeconds = usualKeepaliveSeconds }: HandshakeFacts,
  now: Date,
): number {
  if (lastHandshakeAt === undefined) return Number.POSITIVE_INFINITY;
  return (now.getTime() - lastHandshakeAt.getTime()) / 1000 - persistentKeepaliveSeconds;
}
