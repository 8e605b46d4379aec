import { describe, expect, test } from 'vitest';
import { toChains } from '../../../src/gateway/chains.ts';
import { chooseJudgement, firstJudgement } from '../../../src/gateway/judged.ts';
import { renderRuleset, toRuleset } from '../../../src/gateway/ruleset.ts';
import { homePolicy } from './policy-fixture.ts';

const none = { packets: 0, bytes: 0 };
const rulesOf = (name: string, policy = homePolicy) =>
  toChains(policy).find((own) => own.name === name)?.rules ?? [];

describe('a connection whose far end was looked at', () => {
  test('is looked at again after each loading: both sets are emptied with the lists, and get another mark', () => {
    const mark = chooseJudgement();
    const ruleset = { ...toRuleset(homePolicy), keepsCounts: true, judgement: mark };
    const lines = renderRuleset(ruleset, { up: none, down: none }).split('\n');
    const flushed = lines.indexOf('flush set inet tributary judged');
    expect(flushed).toBeGreaterThan(0);
    expect(lines).toContain('flush map inet tributary judgement');
    const filled = lines.filter((line) => line.includes(`0x${mark.toString(16)}`));
    expect(filled).toHaveLength(2);
    for (const line of filled) expect(lines.indexOf(line)).toBeGreaterThan(flushed);
  });

  test('has a mark of consumers, which is no number of a connection that waits', () => {
    const marks = Array.from({ length: 1000 }, chooseJudgement);
    expect(new Set(marks).size).toBeGreaterThan(990);
    for (const mark of marks) expect(mark & 0xff80_0000).toBe(firstJudgement);
  });

  test('is still refused where it is denied, and an error about it is looked at', () => {
    expect(rulesOf('destination')[0]?.text).toBe(
      'ct mark @judged ct state established meta mark != 0x64656e79 goto known',
    );
    const names = rulesOf('to_tunnel').map(({ name }) => name);
    const [denied, errors, unjudged] = ['denied', 'errors', 'unjudged'].map((name) =>
      names.lastIndexOf(name),
    );
    expect(denied).toBeLessThan(errors ?? 0);
    expect(errors).toBeLessThan(unjudged ?? 0);
    expect(rulesOf('to_tunnel')[errors ?? 0]?.text).toBe('ct state related jump source');
  });

  test('still meets the strict rules', () => {
    const devices = homePolicy.devices.map((device) => ({ ...device, isStrict: true }));
    const strict = { ...homePolicy, devices, allowDestinations: [] };
    expect(rulesOf('known', strict).map(({ text }) => text)).toEqual(['jump strict']);
    const allowing = { ...strict, allowDestinations: ['192.168.1.5'] };
    expect(rulesOf('known', allowing).map(({ name }) => name)).toEqual([
      'allowed-v4',
      'allowed-v6',
      'strict',
    ]);
  });
});
