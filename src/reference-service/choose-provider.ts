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

/** What the WireGuard interface has, and what it should have: the current peer's addresses hold the whole Internet. */
interface PeerSituation extends Pick<Candidates, 'peers' | 'currentKey'> {
  /** Public keys that the interface knows. */
  readonly presentKeys: ReadonlySet<string>;
  /** The peer whose addresses should hold it. */
  readonly chosenKey: string | undefined;
}

/** One command line holds so many peers without coming near the system's limit. */
const peersPerCommand = 500;

/**
 * Arguments of `wg set INTERFACE`, one list a command; none where all is as it should be. An interface gives an address
 * to one peer only: in whatever order they are set, the chosen one ends up with the Internet.
 */
export function planPeers({ peers, presentKeys, currentKey, chosenKey }: PeerSituation) {
  const changed = peers
    .filter(({ publicKey: key }) => !presentKeys.has(key) || (key === currentKey) !== (key === chosenKey))
    .map(({ publicKey, address }) => {
      const allowedIps = `${address}/32${publicKey === chosenKey ? ',0.0.0.0/0,::/0' : ''}`;
      return ['peer', publicKey, 'allowed-ips', allowedIps];
    });
  return Array.from({ length: Math.ceil(changed.length / peersPerCommand) }, (_, index) =>
    changed.slice(index * peersPerCommand, (index + 1) * peersPerCommand).flat(),
  );
}
