/** What is known of the tunnel's last handshake. */
export interface HandshakeFacts {
  /** undefined: there was none yet. */
  readonly lastHandshakeAt: Date | undefined;
  readonly persistentKeepaliveSeconds: number | undefined;
}

/** WireGuard drops a session after 180 s; a silent tunnel speaks once in a keepalive interval. The future is fresh. */
export function hasFreshHandshake(tunnel: HandshakeFacts, now: Date): boolean {
  if (tunnel.lastHandshakeAt === undefined) return false;
  const ageMs = now.getTime() - tunnel.lastHandshakeAt.getTime();
  return ageMs <= (180 + (tunnel.persistentKeepaliveSeconds ?? 25)) * 1000;
}
