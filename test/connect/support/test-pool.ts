import type { AddressPoolOptions } from '../../../src/connect/packet/address-pool.ts';

/** Addresses for consumers, more than any test uses. */
export const testPool: AddressPoolOptions = {
  ipv4: { first: Buffer.from([100, 64, 0, 1]), count: 60_000 },
  ipv6: { first: Buffer.from('fd00'.padEnd(32, '0'), 'hex'), count: 60_000 },
};
