import type { Id } from '../wire/id.ts';

/**
 * The addresses of one family that are given out, one by one. Each of them is taken, or rests after
 * its release, or is free. Every call takes the same short time, however many of them are taken.
 */
export interface AddressRange {
  /**
   * The address at this place, or one soon after it, where it is free or was this consumer's before
   * it was released. Where all of them are taken or rest, one that was never given out; then one
   * that others had, the longest ago. Undefined where the whole range is taken.
   */
  take(place: number, consumer: Id): Buffer | undefined;
  /** Takes this very address; false where it is not one of the range, or is taken already. */
  claim(address: Buffer): boolean;
  /** The consumer gives it back. It has to be taken. */
  release(address: Buffer, consumer: Id): void;
}

export interface AddressRangeOptions {
  /** The first address, and how many follow one another with it. */
  readonly first: Buffer;
  readonly count: number;
}

/** So many places are looked at: with half of all addresses taken, one of them is nearly sure. */
const mostTries = 32;
/** So many addresses rest after their release, until others may have them. */
const mostResting = 16_384;

export function createAddressRange({ first, count }: AddressRangeOptions): AddressRange {
  const taken = new Set<number>();
  /** Whose an address was, in the order of release. */
  const resting = new Map<number, Id>();
  /** Free, and given out before. */
  const rested = new Set<number>();
  /** All below it were given out at some time. */
  let neverGiven = 0;

  const isGood = (offset: number, consumer: Id): boolean =>
    !taken.has(offset) && (resting.get(offset) ?? consumer) === consumer;
  const findNear = (place: number, consumer: Id): number | undefined => {
    for (let tries = 0; tries < Math.min(count, mostTries); tries++) {
      const offset = (place + tries) % count;
      if (isGood(offset, consumer)) return offset;
    }
    return undefined;
  };
  const wasGiven = (offset: number): boolean =>
    taken.has(offset) || resting.has(offset) || rested.has(offset);
  const findNeverGiven = (): number | undefined => {
    while (neverGiven < count && wasGiven(neverGiven)) neverGiven++;
    return neverGiven < count ? neverGiven : undefined;
  };
  const findOldest = (): number | undefined => {
    const [longAgo] = rested;
    const [oldest] = resting.keys();
    return longAgo ?? oldest;
  };
  const note = (offset: number): void => {
    taken.add(offset);
    resting.delete(offset);
    rested.delete(offset);
  };

  return {
    take(place, consumer) {
      const offset = findNear(place, consumer) ?? findNeverGiven() ?? findOldest();
      if (offset === undefined) return undefined;
      note(offset);
      return addTo(first, offset);
    },
    claim(address) {
      const offset = toOffset(first, address);
      if (offset === undefined || offset >= count || taken.has(offset)) return false;
      note(offset);
      return true;
    },
    release(address, consumer) {
      const offset = toOffset(first, address);
      if (offset === undefined || !taken.delete(offset)) return;
      resting.set(offset, consumer);
      const [oldest] = resting.keys();
      if (resting.size <= mostResting || oldest === undefined) return;
      resting.delete(oldest);
      rested.add(oldest);
    },
  };
}

/** How far it is from the first; undefined where it differs in more than its last four bytes. */
function toOffset(first: Buffer, address: Buffer): number | undefined {
  if (address.length !== first.length) return undefined;
  const place = address.length - 4;
  const offset = (address.readUInt32BE(place) - first.readUInt32BE(place)) >>> 0;
  return addTo(first, offset).equals(address) ? offset : undefined;
}

function addTo(first: Buffer, offset: number): Buffer {
  const address = Buffer.from(first);
  const place = address.length - 4;
  address.writeUInt32BE((address.readUInt32BE(place) + offset) >>> 0, place);
  return address;
}
