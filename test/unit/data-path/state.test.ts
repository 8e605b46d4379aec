import { describe, expect, test } from 'vitest';
import { grantPermit, holdsPermit, revokePermit } from '../../../src/data-path/permit.ts';
import { readRefusals, readTotals } from '../../../src/data-path/state.ts';
import type { Exec } from '../../../src/system/exec.ts';
import type { NftTable } from '../../../src/system/nft.ts';

const none: NftTable = {
  counters: new Map(),
  quotas: new Map(),
  sets: new Map(),
  expires: new Map(),
  rules: new Map(),
  policies: new Map(),
};
const up = { packets: 2, bytes: 300 };
const down = { packets: 5, bytes: 7000 };
const withCounters = (...counters: [string, typeof up][]): NftTable => ({ ...none, counters: new Map(counters) });

describe('the forwarded totals', () => {
  test('are what the kernel counted in both directions', () => {
    expect(readTotals(withCounters(['forwarded_up', up], ['forwarded_down', down]))).toEqual({ up, down });
  });

  test.each([
    ['a table', undefined],
    ['a counter of what leaves', withCounters(['forwarded_down', down])],
    ['a counter of what comes back', withCounters(['forwarded_up', up])],
  ])('are not known without %s', (_, table) => {
    expect(readTotals(table)).toBeUndefined();
  });
});

test('refused packets are named by their reason; a counter that the kernel lacks is 0', () => {
  expect(readRefusals(withCounters(['refused_port', { packets: 4, bytes: 240 }]))).toMatchObject({
    'blocked-port': 4,
    'own-network': 0,
  });
});

describe('the permit', () => {
  const granted: NftTable = { ...none, sets: new Map([['permit', ['tributary0']]]) };
  const revoked: NftTable = { ...none, sets: new Map([['permit', []]]) };
  const record = () => {
    const given: (string | undefined)[] = [];
    const exec: Exec = async ({ input }) => {
      given.push(input);
      return '';
    };
    return { exec, given };
  };

  test.each([
    ['granted', granted, true],
    ['revoked', revoked, false],
    ['never made', none, false],
    ['without a table', undefined, false],
  ])('that is %s is seen as it is', (_, table, isHeld) => {
    expect(holdsPermit(table)).toBe(isHeld);
  });

  test('is ended where it is held, and nothing is asked of the kernel where it is not', async () => {
    const { exec, given } = record();
    await revokePermit(exec, revoked);
    await revokePermit(exec, undefined);
    expect(given).toEqual([]);
    await revokePermit(exec, granted);
    expect(given).toEqual(['flush set inet tributary permit\n']);
  });

  test('is granted for the tunnel alone and for its time', async () => {
    const { exec, given } = record();
    await grantPermit(exec, 'tributary0', 60);
    expect(given[0]).toContain('{ "tributary0" timeout 60s }');
  });
});
