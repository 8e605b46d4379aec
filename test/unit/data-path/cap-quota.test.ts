import { describe, expect, test } from 'vitest';
import { planQuotas, toAllowance } from '../../../src/data-path/cap-quota.ts';
import type { NftTable } from '../../../src/system/nft.ts';
import { createNftTable } from './nft-table.ts';

/** A table that has counted 5,000,000 bytes, and what is left of its quota. */
function createTable(quotas: Readonly<Record<string, { bytes: number; used: number }>>): NftTable {
  return createNftTable({
    counters: new Map([
      ['forwarded_up', { packets: 1, bytes: 1_000_000 }],
      ['forwarded_down', { packets: 2, bytes: 3_500_000 }],
      ['merged_down', { packets: 3, bytes: 500_000 }],
    ]),
    quotas: new Map(Object.entries(quotas)),
  });
}

/** What the table has is all that the line carried. */
const seen = { mostPerByte: 1.25, unread: 0 };
const cap = { stopAtBytes: 10_000_000, newUntilBytes: undefined };

describe('what the rules may let pass', () => {
  test.each([
    ['all that is left, where each byte is seen', 10_000, 1, 5_000],
    ['less, where more may pass than is seen', 10_000, 1.25, 4_000],
    ['nothing beyond the cap', 4_000, 1.25, 0],
    ['anything without a cap', undefined, 1.25, undefined],
  ])('is %s', (_claim, stopAt, perByte, expected) => {
    expect(toAllowance(stopAt, 5_000, perByte)).toBe(expected);
  });

  test('goes on from what the quota has counted', () => {
    const { quotas, again } = planQuotas(
      createTable({ cap: { bytes: 9e6, used: 4e6 } }),
      cap,
      seen,
    );
    expect([[...quotas], again]).toEqual([[['cap', { bytes: 8e6, used: 4e6 }]], []]);
  });

  test('is less by what the line has carried and nobody has read yet', () => {
    const table = createTable({ cap: { bytes: 9e6, used: 4e6 } });
    const { quotas } = planQuotas(table, cap, { ...seen, unread: 500_000 });
    expect([...quotas]).toEqual([['cap', { bytes: 7.6e6, used: 4e6 }]]);
  });

  test('begins again where the quota has stopped, since it counts what it refuses', () => {
    const { quotas, again } = planQuotas(
      createTable({ cap: { bytes: 4e6, used: 4e6 } }),
      cap,
      seen,
    );
    expect([[...quotas], again]).toEqual([[['cap', { bytes: 4e6, used: 0 }]], ['cap']]);
  });

  test.each([
    ['it is as wanted', { cap: { bytes: 8e6, used: 4e6 } }, cap],
    [
      'the cap is used up and it has stopped',
      { cap: { bytes: 4e6, used: 4e6 } },
      { ...cap, stopAtBytes: 5e6 },
    ],
    ['there is no quota', {}, cap],
    ['there is no cap', { cap: { bytes: 4e6, used: 4e6 } }, { ...cap, stopAtBytes: undefined }],
  ])('stays where %s', (_claim, quotas, totals) => {
    expect(planQuotas(createTable(quotas), totals, seen).quotas.size).toBe(0);
  });
});
