import type { WireGuardTraffic } from '../system/wg.ts';
import { isConnected } from './choose-provider.ts';
import type { TunnelPeer } from './proxies.ts';
import type { ClientUsage } from './usage.ts';

/** One look at the peers' counters. */
export interface Reading {
  readonly peers: readonly TunnelPeer[];
  readonly traffic: readonly WireGuardTraffic[];
  /** Who was given consumers' traffic up to now; undefined for nobody. */
  readonly chosenKey: string | undefined;
  /** Unix milliseconds. */
  readonly atMs: number;
}

/** Turns readings of counters into what was used between them. */
export type Meter = (reading: Reading) => readonly ClientUsage[];

/** Less than this between two readings is WireGuard's own keepalives and handshakes, not a consumer. */
const leastMovedBytes = 2048;
/** A consumer who is back after so long a silence counts as another session. */
const sessionGapMs = 60_000;
/** A longer stretch between two readings was spent asleep, and counts as this long. */
const longestStretchMs = 30_000;

/** A meter for an interface whose counters stand at zero. */
export function createMeter(startMs: number): Meter {
  let previous: ReadonlyMap<string, WireGuardTraffic> = new Map();
  let previousMs = startMs;
  let session: { readonly key: string; readonly movedMs: number } | undefined;
  return ({ peers, traffic, chosenKey, atMs }) => {
    const stretchMs = Math.max(0, Math.min(atMs - previousMs, longestStretchMs));
    const now = new Map(traffic.map((row) => [row.publicKey, row]));
    const usage = peers.map((peer): ClientUsage => {
      const key = peer.publicKey;
      const online = isConnected(now.get(key)?.lastHandshakeAt, atMs / 1000);
      const rxBytes = toDelta(previous.get(key)?.rxBytes, now.get(key)?.rxBytes);
      const txBytes = toDelta(previous.get(key)?.txBytes, now.get(key)?.txBytes);
      const isServing = key === chosenKey && rxBytes + txBytes >= leastMovedBytes;
      const isNewSession = isServing && (session?.key !== key || atMs - session.movedMs > sessionGapMs);
      if (isServing) session = { key, movedMs: atMs };
      const sessions = isNewSession ? 1 : 0;
      return {
        clientId: peer.clientId,
        isConnected: online,
        rxBytes,
        txBytes,
        onlineMs: online ? stretchMs : 0,
        sessions,
      };
    });
    if (session?.key !== chosenKey) session = undefined;
    previous = now;
    previousMs = atMs;
    return usage;
  };
}

/** A counter that stands lower than before began anew. */
function toDelta(before: number | undefined, now: number | undefined): number {
  if (now === undefined) return 0;
  return before === undefined || now < before ? now : now - before;
}
