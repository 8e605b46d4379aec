import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseRenewSeconds, chooseRetryMs, spreadRenewMs } from '../../../src/identity/renew.ts';

describe('the keepalive_seconds of an answer', () => {
  it.each([
    [0, 60],
    [null, 60],
    [undefined, 60],
    [-1, 60],
    [Number.NaN, 60],
    [Number.POSITIVE_INFINITY, 60],
    [0.2, 5],
    [4, 5],
    [30, 30],
    [30.1, 31],
    [21_600, 21_600],
    [1e18, 21_600],
  ])('read as %j asks for a renewal every %j s', (raw, seconds) => {
    expect(chooseRenewSeconds(raw, 60)).toBe(seconds);
  });

  it('always means a whole number of seconds from 5 to 21600', () => {
    fc.assert(
      fc.property(fc.option(fc.double(), { nil: undefined }), fc.double(), (raw, byDefault) => {
        fc.pre(Number.isFinite(byDefault));
        const seconds = chooseRenewSeconds(raw, byDefault);
        expect(Number.isInteger(seconds)).toBe(true);
        expect(seconds).toBeGreaterThanOrEqual(5);
        expect(seconds).toBeLessThanOrEqual(21_600);
      }),
    );
  });
});

describe('the next renewal', () => {
  it.each([
    [60, 0, 48_000],
    [60, 0.5, 54_000],
    [60, 1, 60_000],
    [5, 1, 5_000],
  ])(
    'with an interval of %j s and the random number %j is due in %j ms: never later than the interval',
    (seconds, part, ms) => {
      expect(spreadRenewMs(seconds, () => part)).toBe(ms);
    },
  );
});

describe('the next try after a failure', () => {
  it.each([
    ['not registered', undefined, 1, [500, 2_500]],
    ['not registered, again', undefined, 2, [500, 4_500]],
    ['not registered, for days', undefined, 1000, [500, 300_500]],
    ['registered', 60, 1, [15_000, 135_000]],
    ['registered, again', 60, 2, [15_000, 255_000]],
    ['registered, for days', 60, 1000, [15_000, 315_000]],
    ['registered, with the shortest interval', 5, 1, [1_250, 11_250]],
    ['registered, with a long interval', 21_600, 1, [5_400_000, 48_600_000]],
    ['registered, with a long interval, for days', 21_600, 9, [5_400_000, 48_600_000]],
  ])('is within its bounds for a device that is %s', (_, seconds, failures, bounds) => {
    const chosen = [0, 1].map((part) => chooseRetryMs(failures, seconds, () => part));
    expect(chosen).toEqual(bounds);
  });
});
