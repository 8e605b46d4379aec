import type { TunnelPeer } from './proxies.ts';

/** A WireGuard session is over when its handshake is this old; until then the peer counts as connected. */
const sessionSeconds = 180;

/** Seconds of Unix time. */
export type HandshakeOf = (publicKey: string) => number | undefined;

/**
 * The provider that gets consumers' traffic: its mode allows it and it is connected. The current one as long as that
 * holds, else the one heard of last; undefined where there is none.
 */
export function chooseProvider(
  peers: readonly TunnelPeer[],
  handshakeOf: HandshakeOf,
  currentKey: string | undefined,
  nowSeconds: number,
): TunnelPeer | undefined {
  const able = peers.filter(
    ({ provideMode, publicKey }) => provideMode !== 'none' && isConnected(handshakeOf(publicKey), nowSeconds),
  );
  const current = able.find((peer) => peer.publicKey === currentKey);
  return current ?? able.toSorted((one, other) => heardAt(other, handshakeOf) - heardAt(one, handshakeOf))[0];
}

/** True for a peer whose last handshake (Unix seconds, undefined for none) is recent enough. */
export function isConnected(lastHandshakeAt: number | undefined, nowSeconds: number): boolean {
  return lastHandshakeAt !== undefined && nowSeconds - lastHandshakeAt < sessionSeconds;
}

function heardAt(peer: TunnelPeer, handshakeOf: HandshakeOf): number {
  return handshakeOf(peer.publicKey) ?? 0;
}
