import { describe, expect, test } from 'vitest';
import {
  isSelfTestDue,
  noteSelfTest,
  type SelfTestState,
  type Tested,
} from '../../../../src/agent/pass/note-self-test.ts';
import { homeProbes } from '../../gateway/policy-fixture.ts';

const at = (second: number) => new Date(Date.UTC(2026, 2, 14, 12, 0, second));
const probes = homeProbes.slice(0, 1);
const isOutdated = false;
const held: Tested = { kind: 'held', isOutdated };
const lost: Tested = { kind: 'lost', probes, isOutdated };
const leaking: Tested = { kind: 'leaking', probes, isOutdated };
const stuck: Tested = { kind: 'stuck', probes, isOutdated };
const outdated = (result: Tested): Tested => ({ ...result, isOutdated: true });

function run(...results: readonly Tested[]): SelfTestState | undefined {
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
    expect(run(leaking, held)).toEqual({
      lastHeldAt: at(1),
      failures: 1,
      failure: undefined,
      note: undefined,
      unclearTimes: 0,
    });
  });

  test('each that failed is counted, and nothing else', () => {
    expect(run(held, leaking, leaking, held, leaking)?.failures).toBe(3);
    expect(run(held, lost, lost, held, outdated(leaking), held)?.failures).toBe(0);
  });

  test('a leak lasts through tests that show nothing', () => {
    expect(run(held, leaking, lost)?.failure?.since).toEqual(at(1));
  });

  test('probes that vanish three times in a row, where they came through before, are a failure', () => {
    expect(run(held, lost, lost)?.failure).toBeUndefined();
    expect(run(held, lost, lost, lost)?.failure?.message).toContain('vanished');
  });

  test('a leak through rules that were replaced since is a failure the third time in a row', () => {
    const leaked = outdated(leaking);
    expect(run(held, leaked, leaked)).toEqual({ ...run(held), unclearTimes: 2 });
    expect(run(held, leaked, leaked, leaked)?.failure?.since).toEqual(at(3));
    expect(run(held, leaked, leaked, held, leaked)?.failure).toBeUndefined();
    expect(run(leaking, leaked)?.failure?.since).toEqual(at(0));
  });

  test.each([lost, stuck])(
    'probes that other programs’ rules stopped do not count against our rules: %j',
    (result) => {
      const replaced = Array<Tested>(5).fill(outdated(result));
      expect(run(held, ...replaced)).toEqual(run(held));
      expect(run(...replaced)).toBeUndefined();
    },
  );

  test('probes that never came through are worth a note alone, because the kernel may not do it', () => {
    const state = run(lost, lost, lost);
    expect(state?.failure).toBeUndefined();
    expect(state?.note?.message).toContain('cannot be tried here');
  });

  test('a probe that does not pass although it must is noted, and the firewall still held', () => {
    expect(run(stuck)).toMatchObject({
      lastHeldAt: at(0),
      failure: undefined,
      note: { code: 'self-test-failed' },
    });
  });

  test('the next one is due at once until one could be judged, or three could not', () => {
    expect(
      [
        run(),
        run(lost),
        run(lost, lost),
        run(lost, lost, lost),
        run(held),
        run(leaking),
        run(outdated(leaking)),
      ].map(isSelfTestDue),
    ).toEqual([true, true, true, false, false, false, true]);
  });
});
