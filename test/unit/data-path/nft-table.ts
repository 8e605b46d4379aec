import type { NftTable } from '../../../src/system/nft.ts';

/** A table of the kernel, with what the test names and nothing else. */
export function createNftTable(given: Partial<NftTable> = {}): NftTable {
  return {
    counters: new Map(),
    quotas: new Map(),
    sets: new Map(),
    expires: new Map(),
    elementPackets: new Map(),
    rules: new Map(),
    policies: new Map(),
    listing: '',
    ...given,
  };
}
