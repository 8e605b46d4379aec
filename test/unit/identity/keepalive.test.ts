import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseKeepaliveSeconds, choosePersistentKeepaliveSeconds } from '../../../src/identity/keepalive.ts';

describe('keepalive_seconds', () => {
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
  ])('of %j means every %j s', (raw, seconds) => {
    expect(chooseKeepaliveSeconds(raw, 60)).toBe(seconds);
  });

  it('always means a whole number of seconds from 5 to 21600', () => {
    fc.assert(
      fc.property(fc.option(fc.double(), { nil: undefined }), fc.double(), (raw, byDefault) => {
        fc.pre(Number.isFinite(byDefault));
        const seconds = chooseKeepaliveSeconds(raw, byDefault);
        expect(Number.isInteger(seconds)).toBe(true);
        expect(seconds).toBeGreaterThanOrEqual(5);
        expect(seconds).toBeLessThanOrEqual(21_600);
      }),
    );
  });
});

describe('PersistentKeepalive', () => {
  it.each([
    [25, 60, 25],
    [90, 60, 60],
    [90, 21_600, 60],
    [undefined, 60, 25],
    [undefined, 10, 10],
    [0, 60, 25],
    [-3, 60, 25],
    [Number.NaN, 60, 25],
    [0.5, 60, 1],
  ])('of %j under a keep-alive of %j s is %j s', (text, keepaliveSeconds, seconds) => {
    expect(choosePersistentKeepaliveSeconds(text, keepaliveSeconds)).toBe(seconds);
  });
});
