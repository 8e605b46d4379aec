import { createHmac } from 'node:crypto';
import type { Id } from '../wire/id.ts';
import { type AddressRangeOptions, createAddressRange } from './address-range.ts';

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
  readonly ipv4: AddressRangeOptions;
  readonly ipv6: AddressRangeOptions;
}

/** A device has one address, two with IPv6; more of them were made up. */
const mostOfConsumer = 16;

export function createAddressPool(options: AddressPoolOptions, key: Buffer): AddressPool {
  const outers = new Map<Id, Map<string, Buffer>>();
  const inners = new Map<string, InnerAddress>();
  const ranges = { 4: createAddressRange(options.ipv4), 16: createAddressRange(options.ipv6) };

  const findPlace = (consumer: Id, inner: Buffer): number =>
    createHmac('sha256', key).update(consumer, 'latin1').update(inner).digest().readUInt32BE(0);
  const join = (consumer: Id, pair: AddressPair, own: Map<string, Buffer>): void => {
    own.set(toKey(pair.inner), pair.outer);
    outers.set(consumer, own);
    inners.set(toKey(pair.outer), { consumer, address: Buffer.from(pair.inner) });
  };
  const give = (consumer: Id, inner: Buffer, own: Map<string, Buffer>): Buffer | undefined => {
    if (own.size >= mostOfConsumer) return undefined;
    const outer = ranges[inner.length as 4 | 16].take(findPlace(consumer, inner), consumer);
    if (outer === undefined) return undefined;
    join(consumer, { inner, outer }, own);
    return outer;
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
      if (own.has(toKey(pair.inner)) || own.size >= mostOfConsumer) return;
      if (ranges[pair.inner.length as 4 | 16].claim(pair.outer)) join(consumer, pair, own);
    },
    pairs: (consumer) =>
      [...(outers.get(consumer) ?? [])].map(([inner, outer]) => ({
        inner: Buffer.from(inner, 'latin1'),
        outer,
      })),
    inner: (outer) => inners.get(toKey(outer)),
    release(consumer) {
      for (const outer of outers.get(consumer)?.values() ?? []) {
        inners.delete(toKey(outer));
        ranges[outer.length as 4 | 16].release(outer, consumer);
      }
      outers.delete(consumer);
    },
    size: () => inners.size,
  };
}

function toKey(address: Buffer): string {
  return address.toString('latin1');
}
