/** What is known of the tunnel's last handshake. */
export interface HandshakeFacts {
  /** undefined: there was none yet. */
  readonly lastHandshakeAt: Date | undefined;
  readonly persistentKeepaliveSeconds: number | undefined;
}

/**
 * WireGuard makes a new session after 120 s of use and drops one after 180 s; an otherwise silent tunnel speaks once in a
 * keepalive interval. A handshake in the future (the clock was set back) counts as fresh.
 */
export function hasFreshHandshake(tunnel: HandshakeFacts, now: Date): boolean {
  if (tunnel.lastHandshakeAt === undefined) return false;
  const ageMs = now.getTime() - tunnel.lastHandshakeAt.getTime();
  return ageMs <= (180 + (tunnel.persistentKeepaliveSeconds ?? 25)) * 1000;
}
