import type { TunnelPeer } from './proxies.ts';

/** A WireGuard session is over when its handshake is this old; until then the peer counts as connected. */
const sessionSeconds = 180;

/** Who may get consumers' traffic, and who has it. */
interface Candidates {
  readonly peers: readonly TunnelPeer[];
  /** Each public key's last handshake, in seconds of Unix time; undefined for none. */
  readonly handshakeOf: (publicKey: string) => number | undefined;
  /** The public key of the one that has it now; undefined for none. */
  readonly currentKey: string | undefined;
  readonly nowSeconds: number;
}

/**
 * The provider that gets consumers' traffic: its mode allows it and it is connected. The current one as long as that
 * holds, else the one with the latest handshake; undefined if there is none.
 */
export function chooseProvider({ peers, handshakeOf, currentKey, nowSeconds }: Candidates): TunnelPeer | undefined {
  const able = peers.filter(
    ({ provideMode, publicKey }) => provideMode !== 'none' && isConnected(handshakeOf(publicKey), nowSeconds),
  );
  const heardAt = ({ publicKey }: TunnelPeer) => handshakeOf(publicKey) ?? 0;
  const current = able.find((peer) => peer.publicKey === currentKey);
  return current ?? able.toSorted((one, other) => heardAt(other) - heardAt(one))[0];
}

/** True for a peer whose last handshake (Unix seconds, undefined for none) is recent enough. */
export function isConnected(lastHandshakeAt: number | undefined, nowSeconds: number): boolean {
  return lastHandshakeAt !== undefined && nowSeconds - lastHandshakeAt < sessionSeconds;
}
