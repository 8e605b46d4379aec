import type { WireGuardPeer, WireGuardTraffic } from '../system/wg.ts';
import type { TunnelPeer } from './proxies.ts';
import { type ClientUsage, noTraffic } from './usage.ts';

/**
 * A WireGuard session ends when its handshake is this old. Until then the peer counts as connected.
 */
const sessionSeconds = 180;

/** A reading of the WireGuard interface at `atMs`, in ms since 1970. */
export interface Reading {
  readonly peers: readonly TunnelPeer[];
  readonly traffic: readonly (WireGuardTraffic & Pick<WireGuardPeer, 'allowedIps'>)[];
  readonly atMs: number;
}

/**
 * The public key of the peer that gets consumers' traffic until now: its allowed addresses are the
 * whole Internet. undefined without one.
 */
function findCurrentKey(traffic: Reading['traffic']): string | undefined {
  return traffic.find(({ allowedIps }) => allowedIps.includes('0.0.0.0/0'))?.publicKey;
}

/**
 * The peer that gets consumers' traffic, one that is connected and willing: the current one,
 * otherwise the one with the latest handshake.
 */
export function chooseProvider({ peers, traffic, atMs }: Reading): TunnelPeer | undefined {
  const connected = traffic.filter((row) => isConnected(row, atMs));
  const heardAt = new Map(connected.map((row) => [row.publicKey, Number(row.lastHandshakeAt)]));
  const able = peers.filter(
    ({ provideMode, publicKey }) => provideMode !== 'none' && heardAt.has(publicKey),
  );
  const ageOf = ({ publicKey }: TunnelPeer) => -(heardAt.get(publicKey) ?? 0);
  const currentKey = findCurrentKey(traffic);
  const current = able.find(({ publicKey }) => publicKey === currentKey);
  return current ?? able.toSorted((one, other) => ageOf(one) - ageOf(other))[0];
}

function isConnected(row: WireGuardTraffic | undefined, atMs: number): boolean {
  return row?.lastHandshakeAt !== undefined && atMs / 1000 - row.lastHandshakeAt < sessionSeconds;
}

/** One command line can name this many peers without coming near the system's limit. */
const peersPerCommand = 500;

/**
 * The arguments of `wg set`, one list for each command. An address belongs to one peer only; the
 * chosen peer gets the Internet.
 */
export function planPeers(
  { peers, traffic }: Pick<Reading, 'peers' | 'traffic'>,
  chosenKey: string | undefined,
) {
  const presentKeys = new Set(traffic.map((row) => row.publicKey));
  const currentKey = findCurrentKey(traffic);
  const changed = peers
    .filter(
      ({ publicKey: key }) => !presentKeys.has(key) || (key === currentKey) !== (key === chosenKey),
    )
    .map(({ publicKey, address }) => {
      const allowedIps = `${address}/32${publicKey === chosenKey ? ',0.0.0.0/0,::/0' : ''}`;
      return ['peer', publicKey, 'allowed-ips', allowedIps];
    });
  return Array.from({ length: Math.ceil(changed.length / peersPerCommand) }, (_, index) =>
    changed.slice(index * peersPerCommand, (index + 1) * peersPerCommand).flat(),
  );
}

/** A longer time (ms) between two readings was spent asleep, and counts as this much. */
const longestStretchMs = 30_000;

/**
 * Fewer bytes between two readings are WireGuard's own keepalives and handshakes, and no
 * consumer's.
 */
const leastMovedBytes = 2048;
/** A consumer that returns after this long a silence (ms) begins another session. */
const sessionGapMs = 60_000;
/** A speed is measured over at least this much time (ms) of serving. */
const leastServedMs = 1000;

/** What was moved by the client that has consumers' traffic, since its speed was last noted. */
type Session = Pick<TunnelPeer, 'publicKey'> &
  Readonly<Record<'bytes' | 'servedMs' | 'movedMs', number>>;

/** Turns readings of an interface, whose counters begin at zero, into the usage between them. */
export function createMeter(startMs: number): (reading: Reading) => readonly ClientUsage[] {
  let previous: ReadonlyMap<string, WireGuardTraffic> = new Map();
  let previousMs = startMs;
  let session: Session | undefined;

  function serve(moved: Session): Partial<ClientUsage> {
    const last = session;
    if (moved.bytes < leastMovedBytes)
      return { consumerBytes: last === undefined ? 0 : moved.bytes };
    const isNew = last === undefined || moved.movedMs - last.movedMs > sessionGapMs;
    const before = isNew ? { bytes: 0, servedMs: 0 } : last;
    const bytes = before.bytes + moved.bytes;
    const servedMs = before.servedMs + moved.servedMs;
    const isMeasured = servedMs >= leastServedMs;
    session = { ...moved, ...(isMeasured ? { bytes: 0, servedMs: 0 } : { bytes, servedMs }) };
    const bytesPerSecond = isMeasured ? (bytes * 1000) / servedMs : undefined;
    return { sessions: Number(isNew), consumerBytes: moved.bytes, bytesPerSecond };
  }

  return ({ peers, traffic, atMs }) => {
    const currentKey = findCurrentKey(traffic);
    const durationMs = Math.max(0, Math.min(atMs - previousMs, longestStretchMs));
    const now = new Map(traffic.map((row) => [row.publicKey, row]));
    if (session?.publicKey !== currentKey) session = undefined;
    const usage = peers.map(({ clientId, publicKey }): ClientUsage => {
      const [before, row] = [previous.get(publicKey), now.get(publicKey)];
      const rxBytes = countSince(before?.rxBytes, row?.rxBytes);
      const txBytes = countSince(before?.txBytes, row?.txBytes);
      const isOnline = isConnected(row, atMs);
      const onlineMs = isOnline ? durationMs : 0;
      const moved = { publicKey, bytes: rxBytes + txBytes, servedMs: durationMs, movedMs: atMs };
      const served = publicKey === currentKey ? serve(moved) : {};
      return {
        ...noTraffic,
        clientId,
        isConnected: isOnline,
        atMs,
        rxBytes,
        txBytes,
        onlineMs,
        ...served,
      };
    });
    previous = now;
    previousMs = atMs;
    return usage;
  };
}

/** A counter that is lower than before began again at zero. */
function countSince(before: number | undefined, now: number | undefined): number {
  if (now === undefined) return 0;
  return before === undefined || now < before ? now : now - before;
}
