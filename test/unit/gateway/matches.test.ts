import { describe, expect, test } from 'vitest';
import { matchesRuleset } from '../../../src/gateway/matches.ts';
import { renderRuleset, toRuleset } from '../../../src/gateway/ruleset.ts';
import { observeNftTable } from '../../../src/system/nft.ts';
import { createFakeTable } from '../data-path/fake-table.ts';
import { assertLaw } from '../law.ts';
import { arbitraryPolicy, homePolicy, noTotals } from './policy-fixture.ts';

async function load(policy = homePolicy) {
  const kernel = createFakeTable();
  kernel.apply(renderRuleset(toRuleset(policy), noTotals));
  const table = await observeNftTable(() => Promise.resolve(kernel.list()), 'inet', 'tributary');
  if (table === undefined) throw new Error('there is a table');
  return table;
}

const capped = { ...homePolicy, remainingBytes: 10_000_000 };

describe('the kernel’s table', () => {
  test('that is not there is not the ruleset', () => {
    expect(matchesRuleset(undefined, toRuleset(homePolicy))).toBe(false);
  });

  test('is the ruleset that was loaded, and no other', async () => {
    const table = await load();
    expect(matchesRuleset(table, toRuleset(homePolicy))).toBe(true);
    assertLaw(arbitraryPolicy, (policy) => {
      expect(matchesRuleset(table, toRuleset(policy))).toBe(false);
    });
  });

  test.each<[number, number, boolean]>([
    [10_000_000, 0, true],
    [10_000_000, 1_000_000, true],
    [10_000_000, 2_000_000, false],
    [20_000_000, 10_000_000, true],
    [9_000_000, 0, true],
    [5_000_000, 0, false],
  ])('with a quota of %i of which %i are used leaves 10 MB: %s', async (bytes, used, isSame) => {
    const table = { ...(await load(capped)), quotas: new Map([['cap', { bytes, used }]]) };
    expect(matchesRuleset(table, toRuleset(capped))).toBe(isSame);
  });

  test('past the cap is as good as any other past it, but not as one before it', async () => {
    const spent = { ...homePolicy, remainingBytes: -5 };
    const table = { ...(await load(spent)), quotas: new Map([['cap', { bytes: 0, used: 90_000_000 }]]) };
    expect(matchesRuleset(table, toRuleset(spent))).toBe(true);
    const full = { ...table, quotas: new Map([['cap', { bytes: 90_000_000, used: 0 }]]) };
    expect(matchesRuleset(full, toRuleset(spent))).toBe(false);
  });

  test('with a cap that nobody wants, or without one that somebody does, is another', async () => {
    const without = { ...(await load(capped)), quotas: new Map() };
    expect(matchesRuleset(without, toRuleset(capped))).toBe(false);
    const withOne = { ...(await load()), quotas: new Map([['cap', { bytes: 1, used: 0 }]]) };
    expect(matchesRuleset(withOne, toRuleset(homePolicy))).toBe(false);
  });
});
