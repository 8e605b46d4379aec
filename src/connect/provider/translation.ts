import { createHmac } from 'node:crypto';
import type { Secrets } from '../contract/secrets.ts';
import {
  type AddressPair,
  type AddressPoolOptions,
  createAddressPool,
} from '../packet/address-pool.ts';
import { readIpHeader } from '../packet/ip-packet.ts';
import { readAddress, rewriteAddress, rewriteQuotedSource } from '../packet/rewrite.ts';
import type { Id } from '../wire/id.ts';
import { largestPacket, provideModes } from '../wire/message-types.ts';

/**
 * Packets between consumers, whose addresses collide, and the device, where each is one of a pool.
 */
export interface Translation {
  /** What the device is given for a consumer's packet, in a buffer of its own; or why nothing. */
  outward(consumer: Id, packet: Buffer): Buffer | 'unsound' | 'no-address';
  /** Whose answer it is; the packet is changed in place. Undefined where it is nobody's. */
  inward(packet: Buffer): Id | undefined;
  release(consumer: Id): void;
  /** Gives a consumer addresses of an earlier life again; false where it gets none of them. */
  restore(consumer: Id, pairs: readonly AddressPair[]): boolean;
  pairs(consumer: Id): readonly AddressPair[];
}

/** Consumers' devices send what they take themselves; some send a little more. */
const mostFromConsumer = 1500;

export function createTranslation(options: AddressPoolOptions, secrets: Secrets): Translation {
  const pool = createAddressPool(options, toAddressKey(secrets));
  return {
    outward(consumer, packet) {
      const header = readIpHeader(packet);
      if (header === undefined || header.length > mostFromConsumer) return 'unsound';
      const outer = pool.outer(consumer, readAddress(packet, header, 'source'));
      if (outer === undefined) return 'no-address';
      const own = Buffer.from(packet.subarray(0, header.length));
      rewriteAddress(own, header, { place: 'source', address: outer });
      return own;
    },
    inward(packet) {
      const header = readIpHeader(packet);
      if (header === undefined || packet.length > largestPacket) return undefined;
      const inner = pool.inner(readAddress(packet, header, 'destination'));
      if (inner === undefined) return undefined;
      rewriteQuotedSource(packet, header, inner.address);
      rewriteAddress(packet, header, { place: 'destination', address: inner.address });
      return inner.consumer;
    },
    release: pool.release,
    restore(consumer, pairs) {
      for (const pair of pairs) pool.restore(consumer, pair);
      return pool.pairs(consumer).length > 0;
    },
    pairs: pool.pairs,
  };
}

/** It is as old as the secrets, which are made once and kept. */
function toAddressKey(secrets: Secrets): Buffer {
  const secret = secrets.get(provideModes.stream) ?? Buffer.alloc(0);
  return createHmac('sha256', secret).update('addresses').digest();
}
