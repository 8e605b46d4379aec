import { describe, expect, test } from 'vitest';
import { isSelfTestDue, noteSelfTest, type SelfTestState } from '../../../src/agent/note-self-test.ts';
import type { SelfTestResult } from '../../../src/gateway/self-test.ts';
import { homeProbes } from '../gateway/policy-fixture.ts';

const at = (second: number) => new Date(Date.UTC(2026, 2, 14, 12, 0, second));
const probes = homeProbes.slice(0, 1);
const held: SelfTestResult = { kind: 'held' };
const lost: SelfTestResult = { kind: 'lost', probes };
const leaking: SelfTestResult = { kind: 'leaking', probes };
const stuck: SelfTestResult = { kind: 'stuck', probes };

function run(...results: readonly SelfTestResult[]): SelfTestState | undefined {
  let state: SelfTestState | undefined;
  for (const [second, result] of results.entries()) state = noteSelfTest(state, result, at(second));
  return state;
}

describe('after self-tests', () => {
  test('a leak is a failure since it began, and names what was reached; the time it last held stays', () => {
    const state = run(held, leaking, leaking);
    expect(state?.failure).toMatchObject({
      code: 'self-test-failed',
      since: at(1),
      message: expect.stringContaining('this device (IPv4)'),
    });
    expect(state?.lastHeldAt).toEqual(at(0));
  });

  test('one that held ends a failure', () => {
    expect(run(leaking, held)).toEqual({ lastHeldAt: at(1), failure: undefined, note: undefined, lostTimes: 0 });
  });

  test('a leak lasts through tests that show nothing', () => {
    expect(run(held, leaking, lost)?.failure?.since).toEqual(at(1));
  });

  test('probes that vanish three times in a row, where they came through before, are a failure', () => {
    expect(run(held, lost, lost)?.failure).toBeUndefined();
    expect(run(held, lost, lost, lost)?.failure?.message).toContain('vanished');
  });

  test('probes that never came through are worth a note alone, because the kernel may not do it', () => {
    const state = run(lost, lost, lost);
    expect(state?.failure).toBeUndefined();
    expect(state?.note?.message).toContain('cannot be tried here');
  });

  test('what must pass and does not is worth a note, and the firewall held', () => {
    expect(run(stuck)).toMatchObject({ lastHeldAt: at(0), failure: undefined, note: { code: 'self-test-failed' } });
  });

  test('the next one is due at once until one could be judged, or three could not', () => {
    expect(
      [run(), run(lost), run(lost, lost), run(lost, lost, lost), run(held), run(leaking)].map(isSelfTestDue),
    ).toEqual([true, true, true, false, false, false]);
  });
});
