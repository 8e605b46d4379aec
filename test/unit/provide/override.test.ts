import { describe, expect, test } from 'vitest';
import { createOverride, currentOverride, overrideSchema } from '../../../src/provide/override.ts';

const now = new Date('2026-07-01T12:00Z');
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);

describe('an override', () => {
  const rows: readonly (readonly [string, number | undefined, Date, boolean])[] = [
    ['holds at once', 7200, now, true],
    ['holds until the second before its end', 7200, later(7199), true],
    ['is over at its end', 7200, later(7200), false],
    ['without an end holds for ever', undefined, later(1e9), true],
    ['holds on a clock that went back', 7200, new Date(0), true],
  ];
  test.each(rows)('%s', (_claim, seconds, at, holds) => {
    const override = createOverride('none', seconds, now);
    expect(currentOverride(override, at)).toEqual(holds ? override : undefined);
  });

  test('that was never set holds never', () => {
    expect(currentOverride(undefined, now)).toBeUndefined();
  });

  test('comes back from its file as it was', () => {
    for (const override of [createOverride('friends', 60, now), createOverride('none', undefined, now)]) {
      expect(overrideSchema.parse(JSON.parse(JSON.stringify(override)))).toEqual(override);
    }
    expect(overrideSchema.safeParse({ mode: 'everyone', setAt: now.toISOString() }).success).toBe(false);
  });

  test.each([
    [undefined, true],
    [64_000, true],
    [100e9, true],
    [0, false],
    ['20 Mbit', false],
  ])('with the limit %s loads: %s', (limitBitsPerSecond, loads) => {
    const kept = { ...createOverride('public', undefined, now), limitBitsPerSecond };
    expect(overrideSchema.safeParse(JSON.parse(JSON.stringify(kept))).success).toBe(loads);
  });
});
