import { describe, expect, test } from 'vitest';
import { readRefusals, readTotals } from '../../../src/data-path/state.ts';
import { refusals } from '../../../src/gateway/policy.ts';
import type { NftTable } from '../../../src/system/nft.ts';
import { createNftTable } from './nft-table.ts';

const up = { packets: 3, bytes: 4000 };
const down = { packets: 5, bytes: 6000 };

function createTable(
  counters: Readonly<Record<string, { packets: number; bytes: number }>>,
): NftTable {
  return createNftTable({ counters: new Map(Object.entries(counters)) });
}

describe('what the kernel counted', () => {
  test('is read by direction', () => {
    expect(readTotals(createTable({ forwarded_up: up, forwarded_down: down }))).toEqual({
      up,
      down,
    });
  });

  test.each([
    ['there is no table', undefined],
    ['one direction is missing', createTable({ forwarded_up: up })],
    ['the other is', createTable({ forwarded_down: down })],
    ['both are', createTable({})],
  ])('is not known where %s', (_claim, table) => {
    expect(readTotals(table)).toBeUndefined();
  });

  test('as refused is read by reason, and is empty without a counter', () => {
    const read = readRefusals(createTable({ refused_port: { packets: 7, bytes: 420 } }));
    const nothing = Object.fromEntries(Object.values(refusals).map((reason) => [reason, 0]));
    expect(read).toEqual({ ...nothing, 'blocked-port': 7 });
  });
});
