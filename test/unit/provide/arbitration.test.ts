import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Claims, toWantedMode, type WantedMode } from '../../../src/provide/arbitration.ts';
import { provideModes } from '../../../src/service/profiles.ts';
import { assertLaw } from '../law.ts';

const plain: Claims = {
  configured: 'public',
  scheduled: undefined,
  override: undefined,
  isCapReached: false,
  isFenceBreached: false,
  isUplinkPaused: false,
};

describe('the mode that holds', () => {
  const rows: readonly (readonly [string, Partial<Claims>, WantedMode])[] = [
    ['is the configured one', {}, { mode: 'public', source: 'configuration' }],
    ['is the schedule’s before it', { scheduled: 'friends' }, { mode: 'friends', source: 'schedule' }],
    [
      'is the override’s before both',
      { scheduled: 'friends', override: 'network' },
      { mode: 'network', source: 'override' },
    ],
    ['is none with the cap reached', { override: 'public', isCapReached: true }, { mode: 'none', source: 'cap' }],
    [
      'is none with the fence breached',
      { override: 'public', isFenceBreached: true },
      { mode: 'none', source: 'fence' },
    ],
    [
      'is none with the uplink paused',
      { override: 'public', isUplinkPaused: true },
      { mode: 'none', source: 'uplink' },
    ],
  ];
  test.each(rows)('%s', (_claim, change, expected) => {
    expect(toWantedMode({ ...plain, ...change })).toEqual(expected);
  });
});

const mode = fc.constantFrom(...provideModes);
const claims: fc.Arbitrary<Claims> = fc.record({
  configured: mode,
  scheduled: fc.option(mode, { nil: undefined }),
  override: fc.option(mode, { nil: undefined }),
  isCapReached: fc.boolean(),
  isFenceBreached: fc.boolean(),
  isUplinkPaused: fc.boolean(),
});

test('any limit makes it none, whatever else is wanted', () => {
  assertLaw(claims, (any) => {
    const isLimited = any.isCapReached || any.isFenceBreached || any.isUplinkPaused;
    const wanted = toWantedMode(any);
    expect(['cap', 'fence', 'uplink'].includes(wanted.source)).toBe(isLimited);
    expect(wanted.mode).toBe(isLimited ? 'none' : (any.override ?? any.scheduled ?? any.configured));
  });
});
