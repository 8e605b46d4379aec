import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { longestUnfencedMs, mayForward, type Obstacle } from '../../../src/health/may-forward.ts';
import type { Problem } from '../../../src/health/problem.ts';
import { type ProvideMode, provideModes } from '../../../src/service/profiles.ts';
import { ago, createFacts, type FactsChange, now } from '../../../tools/docs/sample-facts.ts';
import { assertLaw } from '../law.ts';

const problem: Problem = { code: 'signed-out', message: 'about it', since: ago(5) };
const pause = { code: 'cap-reached', message: 'used up', since: ago(5) } as const;
const toUnfenced = (since: Date) =>
  ({ problem: { code: 'gateway-failed', message: 'about it', since } }) as const;
const unfenced = toUnfenced(ago(5));
const untested = {
  lastHeldAt: undefined,
  failures: 1,
  failure: { ...problem, code: 'self-test-failed' },
  note: undefined,
} as const;

const decide = (change: FactsChange, mode: ProvideMode | undefined = 'public') =>
  mayForward(createFacts(change), { now, mode });

describe("consumers' traffic", () => {
  test.each(provideModes.filter((mode) => mode !== 'none'))(
    'may pass in mode %s when nothing is in the way',
    (mode) => {
      expect(decide({}, mode)).toEqual({
        permit: true,
        mode,
        reasons: [],
        devices: ['tributary0'],
      });
    },
  );

  const rows: readonly (readonly [string, FactsChange, readonly Obstacle[]])[] = [
    ['the agent stops', { stoppingSince: ago(1) }, ['stopping']],
    ['nobody is signed in', { signInProblem: problem }, ['signed-out']],
    ['the kernel does not hold the rules', { gateway: unfenced }, ['unfenced']],
    [
      'the rules did not hold when they were tried',
      { gateway: { selfTest: untested } },
      ['unfenced'],
    ],
    ['the device is not registered', { registration: undefined }, ['not-registered']],
    ['the cap is reached', { provide: { pause } }, ['cap-reached', 'mode-none']],
    ['there is no way to the Internet', { gateway: { uplink: undefined } }, ['no-uplink']],
    ['there is no tunnel', { tunnel: { backend: undefined } }, ['no-device']],
    ['the other end is silent', { tunnel: { lastHandshakeAt: ago(900) } }, ['not-alive']],
    [
      'the service has a wider mode',
      { provide: { wider: { code: 'mode-not-applied', message: 'public', since: ago(5) } } },
      ['wider-at-service'],
    ],
    ['forwarding is switched off', { gateway: { isEnabled: false } }, ['gateway-disabled']],
    [
      'several things are in the way',
      { signInProblem: problem, gateway: { uplink: undefined } },
      ['signed-out', 'no-uplink'],
    ],
  ];
  test.each(rows)(
    'may not pass while %s, and every obstacle is named',
    (_claim, change, reasons) => {
      expect(decide(change)).toMatchObject({ permit: false, reasons });
    },
  );

  test.each<readonly [string, ProvideMode | undefined, FactsChange, readonly Obstacle[]]>([
    ['the mode is not known', undefined, {}, ['undecided']],
    ['the owner shares nothing', 'none', {}, ['mode-none']],
    [
      'a mode that is not known meets a reached cap',
      undefined,
      { provide: { pause } },
      ['cap-reached', 'undecided'],
    ],
  ])('may not pass while %s', (_claim, mode, change, reasons) => {
    expect(mayForward(createFacts(change), { now, mode })).toMatchObject({
      permit: false,
      reasons,
    });
  });

  test('goes by the mode that is asked about, not by the one in force', () => {
    expect(decide({ provide: { effective: 'none' } }, 'friends')).toMatchObject({
      permit: true,
      mode: 'friends',
    });
  });

  test.each([
    ['the kernel does not hold the rules', (since: Date) => ({ gateway: toUnfenced(since) })],
    [
      'the rules did not hold when they were tried',
      (since: Date) => ({
        gateway: { selfTest: { ...untested, failure: { ...untested.failure, since } } },
      }),
    ],
  ])(
    'never passes while %s, and the service is told none only after a while',
    (_claim, toChange) => {
      const last = new Date(now.getTime() - longestUnfencedMs + 1);
      expect(decide(toChange(last))).toEqual({
        permit: false,
        mode: 'public',
        reasons: ['unfenced'],
        devices: [],
      });
      const since = new Date(now.getTime() - longestUnfencedMs);
      expect(decide(toChange(since))).toEqual({
        permit: false,
        mode: 'none',
        reasons: ['unfenced', 'mode-none'],
        devices: [],
      });
    },
  );

  test('is told to the service as mode none where a limit forbids it, and only there', () => {
    const choices = fc.record({
      isCapReached: fc.boolean(),
      unfencedMs: fc.option(fc.nat(2 * longestUnfencedMs), { nil: undefined }),
      hasUplink: fc.boolean(),
    });
    assertLaw(choices, ({ isCapReached, unfencedMs, hasUplink }) => {
      const gateway = {
        ...(unfencedMs !== undefined && toUnfenced(new Date(now.getTime() - unfencedMs))),
        ...(hasUplink ? {} : { uplink: undefined }),
      };
      const { mode, permit } = decide({ provide: isCapReached ? { pause } : {}, gateway });
      const isLong = unfencedMs !== undefined && unfencedMs >= longestUnfencedMs;
      expect(mode).toBe(isCapReached || isLong ? 'none' : 'public');
      expect(permit).toBe(!isCapReached && unfencedMs === undefined && hasUplink);
    });
  });
});
