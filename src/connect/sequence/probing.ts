import type { RoundTrip } from './round-trip.ts';
import type { UnackedPack, UnackedPacks } from './unacked.ts';

/**
 * What to send when nothing is heard: the lowest Pack again. Where it had arrived, the answer is a
 * cumulative ack, and everything goes on from there; where it had not, its arrival is the evidence
 * by which the Packs after it are found lost.
 */
export interface Probing {
  /** A cumulative ack came, or nothing is on its way. */
  progress(now: number): void;
  /** The probe to send now, if it is time; asking counts it as sent. */
  due(packs: UnackedPacks, now: number): Probe | undefined;
  wakeAt(packs: UnackedPacks): number;
}

interface Probe {
  readonly pack: UnackedPack;
  /** Selective acks of this sequence are not to be believed: forget them all. */
  readonly isDistrust: boolean;
}

/** Before there is a sample: a first Pack that is lost, and its probe, must not cost a second. */
const firstInterval = 450;
/** A consumer's machine may pause for this long without a reason to send anything again. */
const shortestInterval = 100;
/** The official sender goes up to eight seconds; a hole then outlasts the consumer's patience. */
const longestInterval = 2000;
/** So many probes go at the same pace; then each waits twice as long as the one before. */
const steadyProbes = 5;
/**
 * Receivers were seen that hold everything selectively and deliver nothing, for ever. After so long
 * without cumulative progress, with the lowest Pack held, the selective acks are not believed.
 */
const distrustAfter = 1500;
const distrustRoundTrips = 4;

export function createProbing(roundTrip: RoundTrip): Probing {
  let progressAt: number | undefined;
  let probes = 0;

  const interval = (): number => {
    const mean = roundTrip.mean();
    const wanted = mean === undefined ? firstInterval : 2 * mean + 4 * roundTrip.deviation();
    const steady = Math.min(longestInterval, Math.max(shortestInterval, wanted));
    return Math.min(longestInterval, steady * 2 ** Math.max(0, probes - steadyProbes));
  };
  const dueAt = (pack: UnackedPack): number =>
    Math.max(pack.sentAt, progressAt ?? pack.sentAt) + interval();

  return {
    progress(now) {
      progressAt = now;
      probes = 0;
    },
    due(packs, now) {
      const pack = packs.lowest();
      if (pack === undefined || dueAt(pack) > now) return undefined;
      probes++;
      const patience = Math.max(distrustAfter, distrustRoundTrips * (roundTrip.mean() ?? 0));
      const silentSince = Math.max(progressAt ?? pack.firstSentAt, pack.firstSentAt);
      return { pack, isDistrust: pack.selectedAt !== undefined && now - silentSince >= patience };
    },
    wakeAt(packs) {
      const pack = packs.lowest();
      return pack === undefined ? Number.POSITIVE_INFINITY : dueAt(pack);
    },
  };
}
