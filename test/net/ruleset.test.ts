import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { grantPermit } from '../../src/data-path/permit.ts';
import { readTotals } from '../../src/data-path/state.ts';
import { matchesRuleset } from '../../src/gateway/matches.ts';
import { type ForwardedTotals, tableName } from '../../src/gateway/policy.ts';
import { renderRuleset, toRuleset } from '../../src/gateway/ruleset.ts';
import { renderHostRuleset } from '../../src/namespace/host-ruleset.ts';
import { type Exec, exec } from '../../src/system/exec.ts';
import { applyNft, observeNftTable } from '../../src/system/nft.ts';
import { isInsideLab } from '../../tools/lab/network.ts';
import {
  arbitraryPolicy,
  homeDevice,
  homePolicy,
  noTotals,
  programDevice,
  reviewedPolicies,
} from '../unit/gateway/policy-fixture.ts';
import { reviewedHostPolicies } from '../unit/namespace/host-policy-fixture.ts';

const netns = `rules-${randomBytes(3).toString('hex')}`;
const inside: Exec = ({ program, args, ...rest }) =>
  exec({ ...rest, program: 'ip', args: ['netns', 'exec', netns, program, ...args] });
const removeTable = () =>
  applyNft(inside, `table inet ${tableName}\ndelete table inet ${tableName}\n`, 'test');
const check = (text: string) =>
  inside({ program: 'nft', args: ['-c', '-f', '-'], input: text, doing: 'checking' });
const read = () => observeNftTable(inside, tableName);

// Rules can only be loaded in a network namespace of one's own, which tools/lab/enter.sh makes.
describe.skipIf(!isInsideLab())('nft', () => {
  beforeAll(() => {
    execFileSync('ip', ['netns', 'add', netns]);
    // Older kernels take no entrance without its device.
    for (const { name } of [homeDevice, programDevice])
      execFileSync('ip', ['-netns', netns, 'tuntap', 'add', 'mode', 'tun', name]);
  });
  afterAll(() => void execFileSync('ip', ['netns', 'delete', netns]));

  test.each(Object.entries(reviewedPolicies))(
    'takes the reviewed ruleset "%s"',
    async (_, policy) => {
      await expect(check(renderRuleset(toRuleset(policy), noTotals))).resolves.toBe('');
    },
  );

  test.each(Object.entries(reviewedHostPolicies))(
    'takes the host\'s reviewed ruleset "%s"',
    async (_, policy) => {
      await expect(check(renderHostRuleset(policy))).resolves.toBe('');
    },
  );

  test('does not take a ruleset with a mistake in it', async () => {
    const text = renderRuleset(toRuleset(homePolicy), noTotals).replace('ct state', 'ct stake');
    await expect(check(text)).rejects.toMatchObject({ code: 'command-failed' });
  });

  test('gives back every policy as it was given, first, again and over another', async () => {
    const law = fc.asyncProperty(arbitraryPolicy, arbitraryPolicy, async (policy, next) => {
      await removeTable();
      for (const given of [policy, policy, next, next]) {
        const ruleset = toRuleset(given);
        await applyNft(inside, renderRuleset(ruleset, noTotals), 'test');
        const table = await read();
        const elements = Object.entries(ruleset.sets).map(([name, set]) => [name, set.elements]);
        expect(Object.fromEntries(table?.sets ?? [])).toMatchObject(Object.fromEntries(elements));
        expect(matchesRuleset(table, ruleset)).toBe(true);
      }
    });
    await fc.assert(law, { numRuns: 20 });
  });

  test('keeps the permit and the counters through another ruleset, and starts a new table where it is told', async () => {
    await removeTable();
    const totals: ForwardedTotals = {
      up: { packets: 7, bytes: 7000 },
      down: { packets: 9, bytes: 9000 },
    };
    await applyNft(inside, renderRuleset(toRuleset(homePolicy), totals), 'test');
    await grantPermit(inside, [homeDevice.name], 600);
    const before = await read();
    expect([readTotals(before), before?.sets.get('permit')]).toEqual([totals, ['tributary0']]);
    const next = toRuleset({ ...homePolicy, uplink: 'wlan0', remainingBytes: 5_000_000_000 });
    await applyNft(inside, renderRuleset(next, noTotals), 'test');
    const after = await read();
    expect([readTotals(after), after?.sets.get('permit')]).toEqual([totals, ['tributary0']]);
    expect(after?.expires.get('permit/tributary0')).toBeGreaterThan(500);
    expect(after?.quotas.get('cap')).toMatchObject({ bytes: 5_000_000_000, used: 0 });
    await applyNft(inside, renderRuleset(toRuleset(homePolicy), noTotals), 'test');
    expect((await read())?.quotas.has('cap')).toBe(false);
  });

  test('restarts the time of a permit that is renewed', async () => {
    await removeTable();
    await applyNft(inside, renderRuleset(toRuleset(homePolicy), noTotals), 'test');
    const remaining = async () => (await read())?.expires.get('permit/tributary0') ?? 0;
    await grantPermit(inside, [homeDevice.name], 100);
    expect(await remaining()).toBeLessThanOrEqual(100);
    await grantPermit(inside, [homeDevice.name], 600);
    expect(await remaining()).toBeGreaterThan(500);
    await grantPermit(inside, [homeDevice.name], 50);
    expect(await remaining()).toBeLessThanOrEqual(50);
  });

  const table = `inet ${tableName}`;
  test.each([
    ['flushed every table', 'flush ruleset'],
    ['deleted the table', `delete table ${table}`],
    ['flushed the table', `flush table ${table}`],
    ['flushed a chain', `flush chain ${table} destination`],
    ['added a rule at the end', `add rule ${table} forward accept`],
    ['inserted a rule at the front', `insert rule ${table} forward accept comment "mine"`],
    ['changed a policy', `add chain ${table} forward { policy accept; }`],
    ['emptied a set', `flush set ${table} special4`],
    ['opened a range', `add element ${table} allowed4 { 192.168.1.0/24 }`],
    ['unblocked a port', `delete element ${table} ports_any { 25 }`],
    ['added a chain with rules', `add chain ${table} mine\nadd rule ${table} mine accept`],
  ])('shows that somebody %s, and the next application puts it right', async (_, script) => {
    await removeTable();
    const ruleset = toRuleset(homePolicy);
    const apply = () => applyNft(inside, renderRuleset(ruleset, noTotals), 'test');
    await apply();
    expect(matchesRuleset(await read(), ruleset)).toBe(true);
    await applyNft(inside, `${script}\n`, 'test');
    expect(matchesRuleset(await read(), ruleset)).toBe(false);
    await apply();
    expect(matchesRuleset(await read(), ruleset)).toBe(true);
  });
});
