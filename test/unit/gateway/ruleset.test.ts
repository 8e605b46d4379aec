import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { GatewayPolicy } from '../../../src/gateway/policy.ts';
import {
  continueCounts,
  renderNoPermit,
  renderPermit,
  renderRuleset,
  toRuleset,
} from '../../../src/gateway/ruleset.ts';
import { overlaps, parsePrefix } from '../../../src/lib/addresses.ts';
import { assertLaw } from '../law.ts';
import {
  arbitraryPolicy,
  homeDevice,
  homePolicy,
  noTotals,
  reviewedPolicies,
} from './policy-fixture.ts';

const fingerprintOf = (policy: GatewayPolicy) => toRuleset(policy).fingerprint;

describe('the ruleset', () => {
  test.each(Object.entries(reviewedPolicies))(
    'for the policy "%s" looks as reviewed',
    async (name, policy) => {
      const text = renderRuleset(toRuleset(policy), noTotals);
      await expect(text).toMatchFileSnapshot(`../../golden/gateway-${name}.nft`);
    },
  );

  test('begins counting where it was told', () => {
    const totals = { up: { packets: 3, bytes: 4000 }, down: { packets: 5, bytes: 6000 } };
    const text = renderRuleset(toRuleset(homePolicy), totals);
    expect(text).toContain('counter forwarded_up { packets 3 bytes 4000 }');
    expect(text).toContain('counter forwarded_down { packets 5 bytes 6000 }');
  });

  test('lets nothing pass once the cap is overrun', () => {
    expect(renderRuleset(toRuleset({ ...homePolicy, remainingBytes: -5 }), noTotals)).toContain(
      'quota cap { over 0 bytes }',
    );
  });

  test('has sets whose elements never meet, each as short as nft prints it', () => {
    assertLaw(arbitraryPolicy, (policy) => {
      const { sets } = toRuleset(policy);
      for (const { elements } of Object.values(sets)) {
        expect(new Set(elements).size).toBe(elements.length);
        const prefixes = elements.filter((element) => parsePrefix(element) !== undefined);
        for (const [index, one] of prefixes.entries()) {
          expect(
            prefixes.some((other, position) => position !== index && overlaps(one, other)),
          ).toBe(false);
        }
      }
    });
  });
});

describe('what the ceilings have counted', () => {
  const filled = Object.entries(toRuleset(homePolicy).sets).flatMap(([name, set]) =>
    set.isFilledByRules ? [name] : [],
  );
  const commentsOf = (policy: GatewayPolicy) =>
    new Map(toRuleset(policy).chains.map((own) => [own.name, own.rules.map(({ name }) => name)]));
  const flushed = (
    policy: GatewayPolicy,
    rules: ReadonlyMap<string, readonly string[]> | undefined,
  ) => {
    const text = renderRuleset(
      continueCounts(toRuleset(policy), rules === undefined ? rules : { rules }),
      noTotals,
    );
    return filled.filter((name) =>
      new RegExp(`flush (set|map) inet tributary ${name}\\n`).test(text),
    );
  };

  test('goes on through another ruleset', () => {
    expect(filled).toHaveLength(13);
    expect(flushed({ ...homePolicy, blockedPorts: [26] }, commentsOf(homePolicy))).toEqual([]);
  });

  test.each(['perConsumer', 'total', 'newPerSecond', 'halfOpen'] as const)(
    'begins again with another %s',
    (name) => {
      const connections = { ...homePolicy.connections, [name]: 17 };
      expect(flushed({ ...homePolicy, connections }, commentsOf(homePolicy))).toEqual(filled);
    },
  );

  test('begins again with another rate above which UDP is refused', () => {
    const slow = { ...homePolicy, line: { ...homePolicy.line, floodBits: 1e6 } };
    const slower = { ...homePolicy, line: { ...homePolicy.line, floodBits: 5e5 } };
    expect(flushed(slower, commentsOf(slow))).toEqual(filled);
    expect(flushed(slow, commentsOf(slow))).toEqual([]);
  });

  test('begins where the kernel has no table', () => {
    expect(flushed(homePolicy, undefined)).toEqual(filled);
  });
});

describe('the fingerprint', () => {
  const same: readonly [string, GatewayPolicy][] = [
    ['the bytes that remain', { ...homePolicy, remainingBytes: 5 }],
  ];
  test.each(same)('stays with %s', (_, policy) => {
    expect(fingerprintOf({ ...policy, remainingBytes: 6 })).toBe(fingerprintOf(policy));
  });

  test.each<[string, Partial<GatewayPolicy>]>([
    ['the tunnel', { devices: [{ ...homeDevice, name: 'other0' }] }],
    ['the uplink', { uplink: 'wlan0' }],
    ['no uplink', { uplink: undefined }],
    ['the MTU', { devices: [{ ...homeDevice, mtu: 1400 }] }],
    ['an own prefix', { ownPrefixes: ['192.168.2.0/24'] }],
    ['a destination that is denied', { denyDestinations: ['198.51.100.7'] }],
    ['an exception', { allowDestinations: ['192.0.2.0/24'] }],
    ['a port', { blockedPorts: [25, 26] }],
    ['a protocol of a port', { blockedPorts: ['tcp/25'] }],
    ['a ceiling', { connections: { ...homePolicy.connections, total: 8191 } }],
    ['a rate', { line: { ...homePolicy.line, dropAboveBits: 1e6 } }],
    ['the first cap', { remainingBytes: 5 }],
  ])('changes with %s', (_, change) => {
    expect(fingerprintOf({ ...homePolicy, ...change })).not.toBe(fingerprintOf(homePolicy));
  });

  test('is made once while the policy stays, and what is left of the cap is told all the same', () => {
    const first = toRuleset({ ...homePolicy, remainingBytes: 5 });
    const again = toRuleset(structuredClone({ ...homePolicy, remainingBytes: 6 }));
    expect(again.chains).toBe(first.chains);
    expect(again.quotas).toEqual({ ...first.quotas, cap: 6 });
    const uncapped = toRuleset({ ...homePolicy, remainingBytes: undefined });
    expect(uncapped.chains).not.toBe(first.chains);
  });

  test('is the same for the same policy', () => {
    assertLaw(arbitraryPolicy, (policy) => {
      expect(fingerprintOf(structuredClone(policy))).toBe(fingerprintOf(policy));
    });
  });
});

test('no text of a policy reaches the ruleset but numbers, prefixes and interface names', () => {
  const wild = fc.array(fc.string({ unit: 'binary' }), { maxLength: 5 });
  const render = (change: Partial<GatewayPolicy>) =>
    renderRuleset(toRuleset({ ...homePolicy, ...change }), noTotals).replaceAll(
      /"ruleset \w+"/g,
      '',
    );
  const plain = render({ ownPrefixes: [] });
  assertLaw(fc.tuple(wild, wild), ([ownPrefixes, allowDestinations]) => {
    const known = [...ownPrefixes, ...allowDestinations].filter(
      (text) => parsePrefix(text) !== undefined,
    );
    if (known.length === 0) expect(render({ ownPrefixes, allowDestinations })).toBe(plain);
  });
});

test('the permit is renewed by emptying its set and adding it again, in one transaction', () => {
  expect(renderPermit(['tributary0'], 60).split('\n')).toEqual([
    'flush set inet tributary permit',
    'table inet tributary {',
    '  set permit { type ifname; flags dynamic,timeout; elements = { "tributary0" timeout 60s } }',
    '}',
    '',
  ]);
  expect(renderNoPermit()).toBe('flush set inet tributary permit\n');
});
