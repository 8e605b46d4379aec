import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isWider } from '../../../src/provide/mode-width.ts';
import { findSendWaitMs, type SendState } from '../../../src/provide/send.ts';
import { type ProvideMode, provideModes } from '../../../src/service/profiles.ts';
import { assertLaw } from '../law.ts';

const quiet: SendState = {
  desired: 'public',
  confirmed: undefined,
  lastSent: undefined,
  lastWidenedAtMs: undefined,
  refusedUntilMs: 0,
  nowMs: 1_000_000,
};
const sent = (mode: ProvideMode, agoMs: number) => ({ mode, atMs: quiet.nowMs - agoMs });
const widened = (agoMs: number) => ({ lastWidenedAtMs: quiet.nowMs - agoMs });
const atOnce = 0;

describe('the mode', () => {
  const rows: readonly (readonly [string, Partial<SendState>, number | undefined])[] = [
    ['that the service never confirmed is sent', {}, atOnce],
    ['that the service confirmed is not sent', { confirmed: 'public' }, undefined],
    ['that differs from the confirmed one is sent', { confirmed: 'friends' }, atOnce],
    [
      'waits a minute after the last one that was no narrower',
      { confirmed: 'friends', lastSent: sent('friends', 10_000), ...widened(10_000) },
      50_000,
    ],
    [
      'is sent when the minute is over',
      { confirmed: 'friends', lastSent: sent('friends', 60_000), ...widened(60_000) },
      atOnce,
    ],
    [
      'that ends a short pause is sent at once',
      { confirmed: 'none', lastSent: sent('none', 1000), ...widened(90_000) },
      atOnce,
    ],
    [
      'that ends a second pause waits for the minute after the first one ended',
      { confirmed: 'none', lastSent: sent('none', 1000), ...widened(10_000) },
      50_000,
    ],
    [
      'that lets in more people and was not taken waits',
      { confirmed: 'none', lastSent: sent('public', 1000), ...widened(1000) },
      59_000,
    ],
    [
      'none is sent at once',
      { desired: 'none', confirmed: 'public', lastSent: sent('public', 1) },
      atOnce,
    ],
    [
      'that lets in fewer people is sent at once',
      { desired: 'friends', confirmed: 'public', lastSent: sent('public', 1) },
      atOnce,
    ],
    [
      'that lets in fewer people and was not taken waits',
      { desired: 'friends', confirmed: 'public', lastSent: sent('friends', 1000) },
      59_000,
    ],
    [
      'that may be as wide waits',
      {
        desired: 'stream',
        confirmed: 'default',
        lastSent: sent('default', 1000),
        ...widened(1000),
      },
      59_000,
    ],
    [
      'none that the service did not take waits',
      { desired: 'none', confirmed: 'public', lastSent: sent('none', 1000) },
      59_000,
    ],
    ['waits where the service refused', { refusedUntilMs: quiet.nowMs + 5 }, 5],
    [
      'none waits too where the service refused',
      { desired: 'none', refusedUntilMs: quiet.nowMs + 5 },
      5,
    ],
    ['is sent when the refusal is over', { refusedUntilMs: quiet.nowMs }, atOnce],
    [
      'that is confirmed needs no waiting',
      { confirmed: 'public', refusedUntilMs: quiet.nowMs + 5 },
      undefined,
    ],
  ];
  test.each(rows)('%s', (_claim, change, expected) => {
    expect(findSendWaitMs({ ...quiet, ...change })).toBe(expected);
  });
});

const wish = fc.record({
  mode: fc.constantFrom(...provideModes),
  forMs: fc.integer({ min: 1, max: 90_000 }),
});

const isNarrower = (mode: ProvideMode, before: ProvideMode | undefined) =>
  mode === 'none' || (before !== undefined && isWider(before, mode));

test('whatever is wanted, a mode that is no narrower follows another such after a minute', () => {
  assertLaw(fc.array(wish, { minLength: 1, maxLength: 40 }), (wishes) => {
    const log = follow(wishes);
    const wider = log.filter(({ mode }, index) => !isNarrower(mode, log[index - 1]?.mode));
    wider.slice(1).forEach(({ atMs }, index) => {
      expect(atMs - (wider[index]?.atMs ?? 0)).toBeGreaterThanOrEqual(60_000);
    });
    log.slice(1).forEach(({ mode }, index) => {
      expect(mode).not.toBe(log[index]?.mode);
    });
  });
});

test('whatever is wanted, none reaches the service in the same moment', () => {
  assertLaw(fc.array(wish, { minLength: 1, maxLength: 40 }), (wishes) => {
    const log = follow([...wishes, { mode: 'none', forMs: 1 }]);
    expect(log.at(-1)?.mode).toBe('none');
  });
});

test('a mode that is wanted for long enough is confirmed', () => {
  assertLaw(
    fc.tuple(fc.array(wish, { maxLength: 20 }), fc.constantFrom(...provideModes)),
    ([wishes, mode]) => {
      expect(follow([...wishes, { mode, forMs: 60_001 }]).at(-1)?.mode).toBe(mode);
    },
  );
});

interface DesiredStep {
  readonly mode: ProvideMode;
  readonly forMs: number;
}

/** What a service that takes everything is sent while the wishes follow each other. */
function follow(
  wishes: readonly DesiredStep[],
): readonly { readonly mode: ProvideMode; readonly atMs: number }[] {
  const log: { mode: ProvideMode; atMs: number }[] = [];
  let nowMs = 0;
  let lastWidenedAtMs: number | undefined;
  for (const { mode, forMs } of wishes) {
    const endMs = nowMs + forMs;
    while (nowMs < endMs) {
      const last = log.at(-1);
      const state = {
        desired: mode,
        confirmed: last?.mode,
        lastSent: last,
        lastWidenedAtMs,
        refusedUntilMs: 0,
        nowMs,
      };
      const waitMs = findSendWaitMs(state);
      if (waitMs === 0) {
        if (!isNarrower(mode, last?.mode)) lastWidenedAtMs = nowMs;
        log.push({ mode, atMs: nowMs });
      } else nowMs = waitMs === undefined ? endMs : Math.min(endMs, nowMs + waitMs);
    }
  }
  return log;
}
