import type { WireGuardTraffic } from '../system/wg.ts';
import type { TunnelPeer } from './proxies.ts';
import { type ClientUsage, noUsage } from './usage-unit.ts';

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

/** The one that gets consumers' traffic: connected and willing; the current one, else the latest handshake's. */
export function chooseProvider({ peers, handshakeOf, currentKey, nowSeconds }: Candidates): TunnelPeer | undefined {
  const able = peers.filter(
    ({ provideMode, publicKey }) => provideMode !== 'none' && isConnected(handshakeOf(publicKey), nowSeconds),
  );
  const heardAt = ({ publicKey }: TunnelPeer) => handshakeOf(publicKey) ?? 0;
  const current = able.find((peer) => peer.publicKey === currentKey);
  return current ?? able.toSorted((one, other) => heardAt(other) - heardAt(one))[0];
}

/** True for a peer whose last handshake (Unix seconds, undefined for none) is recent enough. */
function isConnected(lastHandshakeAt: number | undefined, nowSeconds: number): boolean {
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

/** Arguments of `wg set`, a list a command. An address is one peer's alone: the chosen one gets the Internet. */
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

export interface Reading {
  readonly peers: readonly TunnelPeer[];
  readonly traffic: readonly WireGuardTraffic[];
  /** The client that had consumers' traffic up to now; undefined for none. */
  readonly chosenKey: string | undefined;
  /** Unix milliseconds. */
  readonly atMs: number;
}

/** A longer stretch between two readings was spent asleep, and counts as this long. */
const longestStretchMs = 30_000;

/** Turns readings of an interface, whose counters are at zero, into what was used between them. */
export function createMeter(startMs: number): (reading: Reading) => readonly ClientUsage[] {
  const sessions = createConsumerSessions();
  let previous: ReadonlyMap<string, WireGuardTraffic> = new Map();
  let previousMs = startMs;
  return ({ peers, traffic, chosenKey, atMs }) => {
    const durationMs = Math.max(0, Math.min(atMs - previousMs, longestStretchMs));
    const now = new Map(traffic.map((row) => [row.publicKey, row]));
    sessions.giveTo(chosenKey);
    const usage = peers.map(({ clientId, publicKey: key }): ClientUsage => {
      const isOnline = isConnected(now.get(key)?.lastHandshakeAt, atMs / 1000);
      const rxBytes = countSince(previous.get(key)?.rxBytes, now.get(key)?.rxBytes);
      const txBytes = countSince(previous.get(key)?.txBytes, now.get(key)?.txBytes);
      return {
        ...noUsage,
        clientId,
        isConnected: isOnline,
        atMs,
        rxBytes,
        txBytes,
        onlineMs: isOnline ? durationMs : 0,
        ...(key === chosenKey ? sessions.move(rxBytes + txBytes, durationMs, atMs) : servedNobody),
      };
    });
    previous = now;
    previousMs = atMs;
    return usage;
  };
}

/** A counter that is lower than before started again. */
function countSince(before: number | undefined, now: number | undefined): number {
  if (now === undefined) return 0;
  return before === undefined || now < before ? now : now - before;
}

/** What consumers had of a client in some stretch. */
type Served = Pick<ClientUsage, 'sessions' | 'consumerBytes' | 'bytesPerSecond'>;

/** Less than this between two looks is WireGuard's own keepalives and handshakes, not a consumer. */
const leastMovedBytes = 2048;
/** A consumer who is back after so long a silence counts as another session. */
const sessionGapMs = 60_000;
/** Speed is told of what was served in so long at least. */
const leastServedMs = 1000;

/** The share of a client that was not given consumers' traffic. */
export const servedNobody: Served = { sessions: 0, consumerBytes: 0, bytesPerSecond: undefined };

/** Consumers' traffic from now on, as it goes to one client after the other; none has it yet. */
function createConsumerSessions() {
  let currentKey: string | undefined;
  /** Of what was served since its speed was last told. */
  let session: { readonly movedMs: number; readonly bytes: number; readonly servedMs: number } | undefined;
  return {
    /** Says which client has it from now on; undefined for none. The same one again changes nothing. */
    giveTo(publicKey: string | undefined): void {
      if (publicKey !== currentKey) session = undefined;
      currentKey = publicKey;
    },
    /** Takes what moved at the one that has it. */
    move(bytes: number, durationMs: number, atMs: number): Served {
      if (bytes < leastMovedBytes) return { ...servedNobody, consumerBytes: session === undefined ? 0 : bytes };
      const isNew = session === undefined || atMs - session.movedMs > sessionGapMs;
      const before = isNew || session === undefined ? { bytes: 0, servedMs: 0 } : session;
      const served = { bytes: before.bytes + bytes, servedMs: before.servedMs + durationMs };
      const isMeasured = served.servedMs >= leastServedMs;
      session = { movedMs: atMs, ...(isMeasured ? { bytes: 0, servedMs: 0 } : served) };
      const bytesPerSecond = isMeasured ? (served.bytes * 1000) / served.servedMs : undefined;
      return { sessions: isNew ? 1 : 0, consumerBytes: bytes, bytesPerSecond };
    },
  } as const;
}
