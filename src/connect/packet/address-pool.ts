import { createHmac } from 'node:crypto';
import type { Id } from '../wire/id.ts';

/**
 * Gives each inner address of each consumer an address of its own: consumers choose their addresses
 * by themselves, and two of them choose the same. Mappings live as long as `release` is not called
 * for their consumer.
 *
 * Servers go on sending to an address after its mapping is over, as after a restart of ours, and
 * what they send is for nobody else. So the same consumer gets the same address again, in another
 * process too: its place is a hash under `key`, which is kept, and which consumers do not know.
 */
export interface AddressPool {
  /** The address for what this consumer sends from there; undefined where all are given out. */
  outer(consumer: Id, inner: Buffer): Buffer | undefined;
  /**
   * Gives a consumer the address that it had in an earlier life. Nothing happens where the address
   * is not one of the pool, or is given out already: it never passes to another consumer by this.
   */
  restore(consumer: Id, pair: AddressPair): void;
  /** The addresses of a consumer, in the order in which it came to them. */
  pairs(consumer: Id): readonly AddressPair[];
  /** Whose address it is; undefined where it belongs to nobody. */
  inner(outer: Buffer): InnerAddress | undefined;
  /** Forgets every address of a consumer; others get them as late as possible. */
  release(consumer: Id): void;
  size(): number;
}

/** A consumer's own address, and the one of the pool that stands for it. */
export interface AddressPair {
  readonly inner: Buffer;
  readonly outer: Buffer;
}

interface InnerAddress {
  readonly consumer: Id;
  readonly address: Buffer;
}

export interface AddressPoolOptions {
  /** The first address and how many follow it, for each family. */
  readonly ipv4: PoolRange;
  readonly ipv6: PoolRange;
}

interface PoolRange {
  readonly first: Buffer;
  readonly count: number;
}

/** A device has one address, two with IPv6; more of them were made up. */
const mostOfConsumer = 16;

/** So many addresses rest after their release, until others may have them. */
const mostResting = 16_384;

export function createAddressPool(options: AddressPoolOptions, key: Buffer): AddressPool {
  const outers = new Map<Id, Map<string, Buffer>>();
  const inners = new Map<string, InnerAddress>();
  /** Whose an address was, in the order of release. */
  const resting = new Map<string, Id>();
  const ranges = { 4: options.ipv4, 16: options.ipv6 };

  const findPlace = (consumer: Id, inner: Buffer): number =>
    createHmac('sha256', key).update(consumer, 'latin1').update(inner).digest().readUInt32BE(0);
  const find = (consumer: Id, inner: Buffer): Buffer | undefined => {
    const range = ranges[inner.length as 4 | 16];
    const from = findPlace(consumer, inner);
    const isFree = (address: string): boolean => !inners.has(address);
    const hasRested = (address: string): boolean =>
      isFree(address) && (resting.get(address) ?? consumer) === consumer;
    return findAddress(range, from, hasRested) ?? findAddress(range, from, isFree);
  };
  const join = (consumer: Id, pair: AddressPair, own: Map<string, Buffer>): void => {
    own.set(toKey(pair.inner), pair.outer);
    outers.set(consumer, own);
    inners.set(toKey(pair.outer), { consumer, address: Buffer.from(pair.inner) });
    resting.delete(toKey(pair.outer));
  };
  const give = (consumer: Id, inner: Buffer, own: Map<string, Buffer>): Buffer | undefined => {
    if (own.size >= mostOfConsumer) return undefined;
    const outer = find(consumer, inner);
    if (outer === undefined) return undefined;
    join(consumer, { inner, outer }, own);
    return outer;
  };
  const rest = (outer: Buffer, consumer: Id): void => {
    inners.delete(toKey(outer));
    resting.set(toKey(outer), consumer);
    const [oldest] = resting.keys();
    if (resting.size > mostResting && oldest !== undefined) resting.delete(oldest);
  };

  return {
    outer(consumer, inner) {
      const own = outers.get(consumer) ?? new Map<string, Buffer>();
      const known = own.get(toKey(inner));
      if (known !== undefined) return known;
      return give(consumer, inner, own);
    },
    restore(consumer, pair) {
      const own = outers.get(consumer) ?? new Map<string, Buffer>();
      const range = ranges[pair.inner.length as 4 | 16];
      const isFree = !own.has(toKey(pair.inner)) && !inners.has(toKey(pair.outer));
      if (isFree && own.size < mostOfConsumer && isWithin(range, pair.outer))
        join(consumer, pair, own);
    },
    pairs: (consumer) =>
      [...(outers.get(consumer) ?? [])].map(([inner, outer]) => ({
        inner: Buffer.from(inner, 'latin1'),
        outer,
      })),
    inner: (outer) => inners.get(toKey(outer)),
    release(consumer) {
      for (const outer of outers.get(consumer)?.values() ?? []) rest(outer, consumer);
      outers.delete(consumer);
    },
    size: () => inners.size,
  };
}

/** The first one from that place on, and around. */
function findAddress(
  { first, count }: PoolRange,
  from: number,
  isFree: (address: string) => boolean,
): Buffer | undefined {
  for (let tries = 0; tries < count; tries++) {
    const address = addTo(first, (from + tries) % count);
    if (isFree(toKey(address))) return address;
  }
  return undefined;
}

function isWithin({ first, count }: PoolRange, address: Buffer): boolean {
  if (address.length !== first.length) return false;
  const place = address.length - 4;
  const offset = (address.readUInt32BE(place) - first.readUInt32BE(place)) >>> 0;
  return offset < count && addTo(first, offset).equals(address);
}

function addTo(first: Buffer, offset: number): Buffer {
  const address = Buffer.from(first);
  const place = address.length - 4;
  address.writeUInt32BE((address.readUInt32BE(place) + offset) >>> 0, place);
  return address;
}

function toKey(address: Buffer): string {
  return address.toString('latin1');
}
