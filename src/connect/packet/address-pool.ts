import type { Id } from '../wire/id.ts';

/**
 * Gives each inner address of each consumer an address of its own: consumers choose their addresses
 * by themselves, and two of them choose the same. Mappings live as long as `release` is not called
 * for their consumer.
 */
export interface AddressPool {
  /** The address for what this consumer sends from there; undefined where all are given out. */
  outer(consumer: Id, inner: Buffer): Buffer | undefined;
  /** Whose address it is; undefined where it belongs to nobody. */
  inner(outer: Buffer): InnerAddress | undefined;
  /** Forgets every address of a consumer. Addresses are given out again as late as possible. */
  release(consumer: Id): void;
  size(): number;
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

export function createAddressPool(options: AddressPoolOptions): AddressPool {
  const outers = new Map<Id, Map<string, Buffer>>();
  const inners = new Map<string, InnerAddress>();
  const ranges = { 4: createRange(options.ipv4), 16: createRange(options.ipv6) };

  const give = (consumer: Id, inner: Buffer, own: Map<string, Buffer>): Buffer | undefined => {
    if (own.size >= mostOfConsumer) return undefined;
    const outer = ranges[inner.length as 4 | 16].take((address) => !inners.has(toKey(address)));
    if (outer === undefined) return undefined;
    own.set(toKey(inner), outer);
    inners.set(toKey(outer), { consumer, address: Buffer.from(inner) });
    return outer;
  };

  return {
    outer(consumer, inner) {
      const own = outers.get(consumer) ?? new Map<string, Buffer>();
      const known = own.get(toKey(inner));
      if (known !== undefined) return known;
      const given = give(consumer, inner, own);
      if (given !== undefined) outers.set(consumer, own);
      return given;
    },
    inner: (outer) => inners.get(toKey(outer)),
    release(consumer) {
      for (const outer of outers.get(consumer)?.values() ?? []) inners.delete(toKey(outer));
      outers.delete(consumer);
    },
    size: () => inners.size,
  };
}

/** Addresses in turn, so that one that became free is used again only after all the others. */
function createRange({ first, count }: PoolRange) {
  let next = 0;
  return {
    take(isFree: (address: Buffer) => boolean): Buffer | undefined {
      for (let tries = 0; tries < count; tries++) {
        const address = addTo(first, next);
        next = (next + 1) % count;
        if (isFree(address)) return address;
      }
      return undefined;
    },
  };
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
