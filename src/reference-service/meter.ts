import type { WireGuardTraffic } from '../system/wg.ts';
import { isConnected } from './choose-provider.ts';
import { createConsumerSessions, servedNobody } from './consumer-session.ts';
import type { TunnelPeer } from './proxies.ts';
import { type ClientUsage, noUsage } from './usage-unit.ts';

/** One look at the peers' counters. */
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
      const isChosen = key === chosenKey;
      return {
        ...noUsage,
        clientId,
        isConnected: isOnline,
        atMs,
        rxBytes,
        txBytes,
        onlineMs: isOnline ? durationMs : 0,
        ...(isChosen ? sessions.move({ bytes: rxBytes + txBytes, durationMs, atMs }) : servedNobody),
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
