import { largestPacket } from '../wire/message-types.ts';
import type { RoundTrip } from './round-trip.ts';

/**
 * How many bytes a sequence may have on their way, and how many Packs it may send at once. A
 * consumer's program holds 32 messages before its sequence takes them, and drops what is above that
 * without a word; so a sequence starts with little, grows by what arrives, and never sends a burst.
 */
export interface Window {
  /** Bytes that may be unacknowledged. */
  bytes(): number;
  /** Packs that may be sent now. */
  tokens(now: number): number;
  spend(packs: number): void;
  /** When there is a token again, in ms of the same clock. */
  nextTokenAt(now: number): number;
  /** Bytes that a cumulative ack covered; `wasFull` says that the window held the sender back. */
  grow(of: { readonly bytes: number; readonly wasFull: boolean }): void;
  /** Something was lost. It counts once a round trip: losses of one burst are one sign. */
  shrink(now: number): void;
}

/** Enough for one tick of a fast path, and little enough not to flood a slow one. */
const firstBytes = 64 * 1024;
/** Below this, a single flow of TCP no longer fills a slow path. */
const leastBytes = 32 * 1024;
/**
 * For each ten ms of the path, and ten more in which a consumer's program collects its acks. It
 * queues 256 KiB in front of its sequence, which takes them out meanwhile: with no more than that
 * on its way, one flow over a short path is held to 180 Mbit/s, by nothing else.
 */
const bytesPerTenMs = 384 * 1024;
/** The official sender's window: no consumer expects more on its way. */
const mostBytes = 2 * 1024 * 1024;
/** Half of the 32 messages that a consumer's program holds. */
const burst = 16;
const mostBurst = 32;
/** 16 Packs in two ms, before the path has shown that it takes more. */
const firstPacksPerMs = 8;
/**
 * Well above what the window and the round trip give: pacing spreads bursts and holds nothing back.
 */
const paceGain = 2;
/** Above what is proven, the window grows by so many Packs a round trip. */
const packsPerRoundTrip = 8;
/** A loss halves the window, and it is back at so much of what it was within a round trip. */
const provenShare = 0.75;
const shortestLossPeriod = 100;

export function createWindow(roundTrip: RoundTrip): Window {
  let bytes = firstBytes;
  let tokens = burst;
  let filledAt: number | undefined;
  let lostAt: number | undefined;
  /**
   * Up to here the window grows by all that arrives; a loss has shown that it was too much above.
   */
  let proven = Number.POSITIVE_INFINITY;

  const mostNow = (): number => {
    // A queue that we filled ourselves makes the round trip longer; it does not earn a larger
    // window.
    const ms = Math.min(roundTrip.mean() ?? 0, 2 * (roundTrip.shortest() ?? 0));
    return Math.min(mostBytes, Math.max(bytesPerTenMs, bytesPerTenMs * (1 + ms / 10)));
  };
  const packsPerMs = (): number => {
    const ms = Math.max(1, roundTrip.mean() ?? 1000);
    return Math.max(firstPacksPerMs, (paceGain * bytes) / largestPacket / ms);
  };
  const fill = (now: number): void => {
    const rate = packsPerMs();
    const most = Math.min(mostBurst, Math.max(burst, 2 * rate));
    tokens = Math.min(most, tokens + rate * Math.max(0, now - (filledAt ?? now)));
    filledAt = now;
  };

  return {
    bytes: () => bytes,
    tokens(now) {
      fill(now);
      return Math.floor(tokens);
    },
    spend(packs) {
      tokens -= packs;
    },
    nextTokenAt: (now) => now + Math.max(1, Math.ceil((1 - tokens) / packsPerMs())),
    grow(acked) {
      if (!acked.wasFull) return;
      const slow = (packsPerRoundTrip * largestPacket * acked.bytes) / bytes;
      bytes = Math.min(mostNow(), bytes + (bytes < proven ? acked.bytes : slow));
      bytes = Math.max(leastBytes, bytes);
    },
    shrink(now) {
      const period = Math.max(shortestLossPeriod, roundTrip.mean() ?? 0);
      if (lostAt !== undefined && now - lostAt < period) return;
      lostAt = now;
      proven = bytes * provenShare;
      bytes = Math.max(leastBytes, bytes / 2);
    },
  };
}
