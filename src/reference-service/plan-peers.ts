import type { TunnelPeer } from './proxies.ts';

/** What the WireGuard interface has, and what it should have. */
interface PeerSituation {
  readonly peers: readonly TunnelPeer[];
  /** Public keys that the interface knows. */
  readonly presentKeys: ReadonlySet<string>;
  /** The peer whose allowed addresses hold the whole Internet now; undefined for none. */
  readonly currentKey: string | undefined;
  /** The peer whose addresses should hold it. */
  readonly chosenKey: string | undefined;
}

/** One command line holds so many peers without coming near the system's limit. */
const peersPerCommand = 500;

/**
 * Arguments of `wg set INTERFACE`, one list a command; none where all is as it should be. An interface gives an address
 * to one peer only: in whatever order they are set, the chosen one ends up with the Internet.
 */
export function planPeers(situation: PeerSituation): readonly (readonly string[])[] {
  const { peers, presentKeys, currentKey, chosenKey } = situation;
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
