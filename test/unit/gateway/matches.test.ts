import { describe, expect, test } from 'vitest';
import { isFence, matchesRuleset } from '../../../src/gateway/matches.ts';
import { renderRuleset, toRuleset } from '../../../src/gateway/ruleset.ts';
import { type NftTable, observeNftTable } from '../../../src/system/nft.ts';
import { createFakeTable } from '../data-path/fake-table.ts';
import { assertLaw } from '../law.ts';
import { arbitraryPolicy, homePolicy, noTotals, reviewedPolicies } from './policy-fixture.ts';

async function load(policy = homePolicy) {
  const kernel = createFakeTable();
  kernel.apply(renderRuleset(toRuleset(policy), noTotals));
  const table = await observeNftTable(() => Promise.resolve(kernel.list()), 'tributary');
  if (table === undefined) throw new Error('there is a table');
  return table;
}

const namesOf = (isFilledByRules: boolean) =>
  Object.entries(toRuleset(homePolicy).sets)
    .filter(([, set]) => (set.isFilledByRules ?? false) === isFilledByRules)
    .map(([name]) => name);

const capped = { ...homePolicy, remainingBytes: 10_000_000 };

/** The table with other rules in one chain; none removes the chain. */
function withRules(table: NftTable, chain: string, rules: readonly string[]): NftTable {
  return { ...table, rules: new Map([...table.rules, [chain, rules]]) };
}

describe('the kernel’s table', () => {
  test('with a chain of others in it is not the ruleset, whatever its rules are called', async () => {
    const table = await load();
    for (const rules of [[''], ['from-tunnel'], ['accept everything', 'and more']]) {
      expect(matchesRuleset(withRules(table, 'stranger', rules), toRuleset(homePolicy))).toBe(
        false,
      );
      expect(isFence(withRules(table, 'stranger', rules), toRuleset(homePolicy))).toBe(false);
    }
  });

  const { chains } = toRuleset(homePolicy);
  const filled = chains.filter(({ rules }) => rules.length > 0).map(({ name }) => name);

  test.each(filled)(
    'with a rule too many, one too few, or another one in %s is not the ruleset',
    async (chain) => {
      const table = await load();
      const rules = table.rules.get(chain) ?? [];
      expect(rules.length).toBeGreaterThan(0);
      const changed: readonly (readonly string[])[] = [
        [...rules, 'one more'],
        ['one more', ...rules],
        rules.slice(1),
        rules.slice(0, -1),
        rules.with(0, 'another'),
        rules.with(-1, ''),
        [],
      ];
      for (const other of changed) {
        expect(isFence(withRules(table, chain, other), toRuleset(homePolicy))).toBe(false);
      }
      const missing = {
        ...table,
        rules: new Map([...table.rules].filter(([name]) => name !== chain)),
      };
      expect(isFence(missing, toRuleset(homePolicy))).toBe(false);
    },
  );

  test('with the same rules in another order is not the ruleset', async () => {
    const table = await load();
    const turned = withRules(
      table,
      'destination',
      (table.rules.get('destination') ?? []).toReversed(),
    );
    expect(isFence(turned, toRuleset(homePolicy))).toBe(false);
  });

  test.each(chains.filter(({ hook }) => hook !== undefined).map(({ name }) => name))(
    'whose chain %s has another policy, or none, is not the ruleset',
    async (chain) => {
      const table = await load();
      const policy = table.policies.get(chain) === 'accept' ? 'drop' : 'accept';
      expect(
        isFence(
          { ...table, policies: new Map([...table.policies, [chain, policy]]) },
          toRuleset(homePolicy),
        ),
      ).toBe(false);
      const without = new Map([...table.policies].filter(([name]) => name !== chain));
      expect(isFence({ ...table, policies: without }, toRuleset(homePolicy))).toBe(false);
    },
  );

  test.each(namesOf(false))('with another set %s is not the ruleset', async (set) => {
    const table = await load();
    const elements = table.sets.get(set) ?? [];
    for (const other of [[...elements, 'x'], elements.length > 0 ? elements.slice(1) : ['y']]) {
      expect(
        isFence({ ...table, sets: new Map([...table.sets, [set, other]]) }, toRuleset(homePolicy)),
      ).toBe(false);
    }
  });

  test.each(namesOf(true))(
    'with consumers in the set %s, which the rules fill, is the ruleset',
    async (set) => {
      const table = await load();
      const filled = { ...table, sets: new Map([...table.sets, [set, ['10.0.0.7']]]) };
      expect(matchesRuleset(filled, toRuleset(homePolicy))).toBe(true);
    },
  );

  test('that lacks a set which is empty anyway is the ruleset', async () => {
    const table = await load();
    expect(toRuleset(homePolicy).sets.allowed4.elements).toEqual([]);
    const without = new Map([...table.sets].filter(([name]) => name !== 'allowed4'));
    expect(isFence({ ...table, sets: without }, toRuleset(homePolicy))).toBe(true);
  });

  test('is the fence whatever the cap leaves, but not without a cap, or with one too many', async () => {
    const table = await load(capped);
    const spent = { ...table, quotas: new Map([['cap', { bytes: 10_000_000, used: 9_000_000 }]]) };
    expect([matchesRuleset(spent, toRuleset(capped)), isFence(spent, toRuleset(capped))]).toEqual([
      false,
      true,
    ]);
    expect(isFence({ ...table, quotas: new Map() }, toRuleset(capped))).toBe(false);
    const withOne = { ...(await load()), quotas: new Map([['cap', { bytes: 1, used: 0 }]]) };
    expect(isFence(withOne, toRuleset(homePolicy))).toBe(false);
    expect(isFence(undefined, toRuleset(homePolicy))).toBe(false);
  });

  test('does not match while it is missing', () => {
    expect(matchesRuleset(undefined, toRuleset(homePolicy))).toBe(false);
  });

  test.each(Object.entries(reviewedPolicies))(
    'with %s is the ruleset that was loaded',
    async (_, policy) => {
      expect(matchesRuleset(await load(policy), toRuleset(policy))).toBe(true);
    },
  );

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
    [11_048_576, 0, true],
    [11_048_577, 0, false],
    [8_951_424, 0, true],
    [8_951_423, 0, false],
    [5_000_000, 0, false],
  ])('with a quota of %i of which %i are used leaves 10 MB: %s', async (bytes, used, isSame) => {
    const table = { ...(await load(capped)), quotas: new Map([['cap', { bytes, used }]]) };
    expect(matchesRuleset(table, toRuleset(capped))).toBe(isSame);
  });

  test('past the cap is as good as any other past it, but not as one before it', async () => {
    const spent = { ...homePolicy, remainingBytes: -5 };
    const table = {
      ...(await load(spent)),
      quotas: new Map([['cap', { bytes: 0, used: 90_000_000 }]]),
    };
    expect(matchesRuleset(table, toRuleset(spent))).toBe(true);
    const full = { ...table, quotas: new Map([['cap', { bytes: 90_000_000, used: 0 }]]) };
    expect(matchesRuleset(full, toRuleset(spent))).toBe(false);
    const far = { ...homePolicy, remainingBytes: -90_000_000 };
    const reached = { ...(await load(far)), quotas: new Map([['cap', { bytes: 5, used: 5 }]]) };
    expect(matchesRuleset(reached, toRuleset(far))).toBe(true);
    const exact = { ...homePolicy, remainingBytes: 0 };
    const used = {
      ...(await load(exact)),
      quotas: new Map([['cap', { bytes: 90_000_000, used: 90_000_000 }]]),
    };
    expect(matchesRuleset(used, toRuleset(exact))).toBe(true);
    const over = { ...used, quotas: new Map([['cap', { bytes: 0, used: 90_000_000 }]]) };
    expect(matchesRuleset(over, toRuleset(exact))).toBe(true);
    expect(matchesRuleset(over, toRuleset(capped))).toBe(false);
  });

  test('does not match with a cap that is not wanted, or without one that is', async () => {
    const without = { ...(await load(capped)), quotas: new Map() };
    expect(matchesRuleset(without, toRuleset(capped))).toBe(false);
    const withOne = { ...(await load()), quotas: new Map([['cap', { bytes: 1, used: 0 }]]) };
    expect(matchesRuleset(withOne, toRuleset(homePolicy))).toBe(false);
  });
});
