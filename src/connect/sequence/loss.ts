import type { RoundTrip } from './round-trip.ts';
import type { UnackedPack, UnackedPacks } from './unacked.ts';

/**
 * Which Packs are lost, by evidence: something that was sent later has arrived, and the time in
 * which this one could still come is over. Counting the Packs that overtook it instead sends up to
 * an eighth of everything twice on a path that loses nothing and only reorders.
 */
export interface LossDetector {
  /** A sending of this Pack has arrived: acks bring the time of the sending back in their tag. */
  arrived(of: { readonly sentAt: number; readonly number: number }, now: number): void;
  /** The other end had the Pack already: what was sent again had only been late. */
  wasLate(now: number): void;
  /** What is lost now, and in how many ms to ask again, if anything is in doubt. */
  find(packs: UnackedPacks, now: number): Losses;
}

interface Losses {
  readonly lost: readonly UnackedPack[];
  readonly inMs: number;
}

/**
 * Peers collect acks for ten ms, so two Packs that arrive together may be acknowledged so far
 * apart.
 */
const ackDelay = 10;
/** A quarter of a round trip is what Packs usually overtake each other by. */
const usualPatience = 1 / 4;
/**
 * At first nothing is known of the path: a whole round trip more. It is unlearnt with each arrival.
 */
const firstPatience = 1;
const mostPatience = 4;
/** A radio holds single packets back by tens of ms; on a short path that looks like a loss. */
const leastWait = 40;

/**
 * So many sendings go at the same pace; then each waits twice as long as the one before. Chance
 * loses one Pack as often nowhere; a peer that acknowledges only the last of them has all the
 * others sent again as long as it likes, and what is sent again is not paid again.
 */
const steadySendings = 5;

export function createLossDetector(roundTrip: RoundTrip): LossDetector {
  let latest: { readonly sentAt: number; readonly number: number } | undefined;
  /** The round trip of the latest sending that arrived. */
  let latestTrip = 0;
  /** Grows when a Pack was sent again in vain, and shrinks slowly while that does not happen. */
  let patience = firstPatience;
  let lateAt = 0;

  return {
    arrived(of, now) {
      if (latest !== undefined && !wasSentBefore(latest, of)) return;
      latest = of;
      latestTrip = Math.max(0, now - of.sentAt);
      patience = Math.max(usualPatience, patience * 0.995);
    },
    wasLate(now) {
      if (now - lateAt < (roundTrip.mean() ?? 0)) return;
      lateAt = now;
      patience = Math.min(mostPatience, patience * 2);
    },
    find(packs, now) {
      if (latest === undefined) return { lost: [], inMs: Number.POSITIVE_INFINITY };
      const mean = roundTrip.mean() ?? 0;
      const overtakes = Math.max(leastWait, patience * mean, 4 * roundTrip.deviation());
      const trip = Math.max(latestTrip, mean) + ackDelay;
      return judge(listOvertaken(packs, latest), { wait: trip + overtakes, now });
    },
  };
}

/** Packs whose last sending is older than one that arrived. */
function listOvertaken(packs: UnackedPacks, latest: Sending): readonly UnackedPack[] {
  const overtaken: UnackedPack[] = [];
  const lowest = packs.lowest();
  // Nearly always, and then nothing has to be gone through.
  if (lowest === undefined || (lowest.sendings === 1 && !wasSentBefore(lowest, latest)))
    return overtaken;
  for (const pack of packs.all()) {
    const isOlder = wasSentBefore(pack, latest);
    // What was sent once, and after the latest arrival, is followed by nothing older.
    if (pack.sendings === 1 && !isOlder) break;
    if (isOlder && pack.selectedAt === undefined) overtaken.push(pack);
  }
  return overtaken;
}

/** Lost is what was sent so long ago; the rest may still come. */
function judge(
  overtaken: readonly UnackedPack[],
  { wait, now }: { readonly wait: number; readonly now: number },
): Losses {
  const lost: UnackedPack[] = [];
  let inMs = Number.POSITIVE_INFINITY;
  for (const pack of overtaken) {
    const left = pack.sentAt + wait * 2 ** Math.max(0, pack.sendings - steadySendings) - now;
    if (left <= 0) lost.push(pack);
    else inMs = Math.min(inMs, left);
  }
  return { lost, inMs };
}

interface Sending {
  readonly sentAt: number;
  readonly number: number;
}

function wasSentBefore(one: Sending, other: Sending): boolean {
  return one.sentAt < other.sentAt || (one.sentAt === other.sentAt && one.number < other.number);
}
