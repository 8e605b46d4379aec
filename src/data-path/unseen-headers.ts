import type { SegmentTotals } from '../gateway/segment-hook.ts';

/** What left one way, each segment with its own header. */
export interface Reading {
  readonly sent: SegmentTotals;
  /** Bytes that a card puts around each packet, which `sent` has and the rules do not see. */
  readonly headerBytes: number;
  /** Where it was read, and how packets got there: other readings cannot be compared. */
  readonly place: string;
}

/** A reading, and what the rules had handed over by then. */
interface Comparable extends Reading {
  readonly handed: SegmentTotals;
}

/** The headers of one way that the rules do not see, by comparing what left with what they saw. */
export interface UnseenHeaders {
  /**
   * The next comparison begins here. What the rules saw since the last one is taken to lack as many
   * headers as before. Without a reading, the last one stays where there is one.
   */
  begin(reading: Reading | undefined, handed: SegmentTotals): void;
  /**
   * What is read has one more part from now on, of which so much was sent before. False where the
   * last reading was of another place than `from`: then it has to begin.
   */
  extend(sent: SegmentTotals, place: { readonly from: string; readonly to: string }): boolean;
  /** There is no table any more: the next comparison is a beginning itself. */
  forget(): void;
  /**
   * A pass had no reading. Once that happened often, what the rules saw is estimated, as where two
   * readings cannot be compared: what is only held back would grow for ever. Returns what is
   * missing by that.
   */
  skip(handed: SegmentTotals): SegmentTotals;
  /**
   * What the rules did not see since the last comparison. Less than nothing of either is kept for
   * the next one.
   */
  take(now: Comparable): SegmentTotals;
  /** How many bytes were missing for each byte that the rules saw, at the last comparison. */
  perByte(): number;
  /**
   * The most that may be missing now, in bytes, where the rules have handed over so many, and the
   * line may carry `mostPerByte` for each of them.
   */
  mostMissing(handed: SegmentTotals | undefined, mostPerByte: number): number;
  /** False where the rules saw something between the last two comparisons. */
  isSettled(): boolean;
}

/** Of fewer bytes than this, the packets between the two readings are too large a part. */
const tellingBytes = 1_000_000;
const nothing: SegmentTotals = { bytes: 0, packets: 0 };
/** So many passes without a reading are no longer a mishap. */
const mostSkipped = 30;

export function createUnseenHeaders(): UnseenHeaders {
  let base: Comparable | undefined;
  /** What was missing before the beginning. */
  let owed: SegmentTotals = nothing;
  let missing = { perByte: 0, perPacket: 0 };
  /** What the rules saw between the last two comparisons. */
  let recentBytes = 0;
  let skipped = 0;

  const estimate = (handed: SegmentTotals): SegmentTotals => ({
    bytes: Math.round(Math.max(0, handed.bytes) * missing.perByte),
    packets: Math.round(Math.max(0, handed.packets) * missing.perPacket),
  });
  const compare = (before: Comparable, now: Comparable): SegmentTotals => {
    const handed = subtract(now.handed, before.handed);
    // Another table counts: all that it saw is new.
    if (handed.packets < 0) return estimate(now.handed);
    const sent = subtract(now.sent, before.sent);
    // Where the two readings cannot be compared, as much is missing as was before.
    if (now.place !== before.place || sent.packets < 0) return estimate(handed);
    const unseen = findUnseen(sent, handed, now.headerBytes);
    if (handed.bytes < tellingBytes) return unseen;
    missing = {
      perByte: Math.max(0, unseen.bytes) / handed.bytes,
      perPacket: Math.max(0, unseen.packets) / handed.packets,
    };
    return unseen;
  };
  const owe = (handed: SegmentTotals): void => {
    if (base === undefined) return;
    owed = add(owed, estimate(subtract(handed, base.handed)));
  };
  const payOwed = (): SegmentTotals => {
    const paid = owed;
    owed = nothing;
    return paid;
  };
  return {
    begin(reading, handed) {
      if (reading === undefined) return;
      owe(handed);
      base = { ...reading, handed };
      recentBytes = 0;
      skipped = 0;
    },
    extend(sent, { from, to }) {
      if (base?.place !== from) return false;
      base = { ...base, place: to, sent: add(base.sent, sent) };
      return true;
    },
    forget() {
      base = undefined;
      recentBytes = 0;
      skipped = 0;
    },
    skip(handed) {
      if (base === undefined || ++skipped < mostSkipped) return nothing;
      owe(handed);
      base = { ...base, handed, place: '' };
      recentBytes = 0;
      return payOwed();
    },
    take(now) {
      skipped = 0;
      recentBytes = Math.max(0, now.handed.bytes - (base ?? now).handed.bytes);
      const unseen = base === undefined ? nothing : compare(base, now);
      base = carryOver(now, unseen);
      const { bytes, packets } = unseen;
      return add(payOwed(), { bytes: Math.max(0, bytes), packets: Math.max(0, packets) });
    },
    perByte: () => missing.perByte,
    mostMissing(handed, mostPerByte) {
      if (base === undefined || handed === undefined) return 0;
      const more = handed.bytes - base.handed.bytes;
      const since = more < 0 ? handed.bytes : more;
      // A packet that the rules saw after the reading, but before the comparison, hides as many
      // bytes of others' headers as it has itself. How many did is not known: no more than came
      // since the comparison before.
      return owed.bytes + Math.ceil(since * (mostPerByte - 1) + recentBytes * mostPerByte);
    },
    isSettled: () => recentBytes === 0,
  };
}

function add(one: SegmentTotals, other: SegmentTotals): SegmentTotals {
  return { bytes: one.bytes + other.bytes, packets: one.packets + other.packets };
}

function subtract(more: SegmentTotals, less: SegmentTotals): SegmentTotals {
  return { bytes: more.bytes - less.bytes, packets: more.packets - less.packets };
}

/**
 * What was sent beyond what was handed over. Of packets that a program joined, the kernel counts
 * each segment's header and not how many segments there are: as many as usual headers make it.
 */
function findUnseen(
  sent: SegmentTotals,
  handed: SegmentTotals,
  headerBytes: number,
): SegmentTotals {
  const more = subtract(sent, handed);
  if (headerBytes === 0) return more;
  if (more.packets >= 0) return { ...more, bytes: more.bytes - headerBytes * sent.packets };
  const around = more.bytes - headerBytes * handed.packets;
  const packets = Math.round(around / (usualHeaderBytes + headerBytes));
  return { packets, bytes: packets * usualHeaderBytes };
}

/** IPv4's and TCP's, with a time in it. */
const usualHeaderBytes = 52;

/**
 * Packets between the two readings were handed over and not seen to leave. They come next: what is
 * short now is taken from that.
 */
function carryOver(base: Comparable, unseen: SegmentTotals): Comparable {
  const packets = Math.min(0, unseen.packets);
  const bytes = Math.min(0, unseen.bytes) + base.headerBytes * packets;
  return { ...base, sent: subtract(base.sent, { bytes, packets }) };
}
