import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  measureConnected,
  renderNetworkStats,
} from '../../../../../src/cli/commands/stats/network-text.ts';
import { viewNetworkStats } from '../../../../../src/cli/commands/stats/network-view.ts';
import { profiles } from '../../../../../src/service/profiles.ts';

const startMs = Date.UTC(2026, 2, 14);
const at = (minutes: number) => new Date(startMs + minutes * 60_000).toISOString();
const window = { startMs, endMs: startMs + 40 * 60_000, slots: 4 };
const on = (minutes: number) => ({ at: at(minutes), isConnected: true });
const off = (minutes: number) => ({ at: at(minutes), isConnected: false });

test.each([
  ['was there all along', [], true, [1, 1, 1, 1]],
  ['was never there', [], false, [0, 0, 0, 0]],
  ['came', [on(10)], true, [0, 1, 1, 1]],
  ['went', [off(15)], false, [1, 0.5, 0, 0]],
  ['came and went', [on(10), off(15), on(38)], true, [0, 0.5, 0, 0.2]],
  ['came and went, told in any order', [on(38), off(15), on(10)], true, [0, 0.5, 0, 0.2]],
  ['came before the window began', [{ at: at(-5), isConnected: true }], true, [1, 1, 1, 1]],
  [
    'came at a time that is none',
    [
      { at: 'soon', isConnected: true },
      { at: undefined, isConnected: true },
    ],
    true,
    [1, 1, 1, 1],
  ],
])('a device that %s', (_, events, isConnected, shares) => {
  expect(measureConnected({ ...window, events, isConnected })).toEqual(shares);
});

test('the time connected is the same however it is cut', () => {
  const minutes = fc.uniqueArray(fc.integer({ min: 1, max: 39 }), { maxLength: 8 });
  fc.assert(
    fc.property(
      minutes,
      fc.boolean(),
      fc.integer({ min: 1, max: 50 }),
      (turns, isFirstOn, slots) => {
        const sorted = turns.toSorted((one, other) => one - other);
        const events = sorted.map((minute, index) =>
          (index % 2 === 0) === isFirstOn ? on(minute) : off(minute),
        );
        const isConnected = events.at(-1)?.isConnected ?? isFirstOn;
        const sum = (shares: readonly number[]) =>
          shares.reduce((all, share) => all + share, 0) / shares.length;
        const whole = sum(measureConnected({ ...window, events, isConnected, slots: 1 }));
        expect(sum(measureConnected({ ...window, events, isConnected, slots }))).toBeCloseTo(
          whole,
          4,
        );
      },
    ),
  );
});

test.each([
  [4, 5, ''],
  [10, 1, 'All the time: d0, d1, d2, d3, d4, d5, d6, d7, d8, d9'],
])('of %d devices that were there all the time, %d lines are drawn', (count, drawn, named) => {
  const created = new Date(startMs + 24 * 3_600_000).toISOString();
  const provider = (clientId: string, uptimeLast24h: number, events: number) => ({
    clientId,
    connected: true,
    connectedEventsLast24h: Array.from({ length: events }, () => ({
      eventTime: at(60),
      connected: true,
    })),
    uptimeLast24h,
  });
  const providers = Array.from({ length: count }, (_, index) => provider(`d${index}`, 24, 0));
  const answer = { createdTime: created, providers: [...providers, provider('late', 23, 1)] };
  const reading = { profile: profiles.documented, names: new Map<string, string>() };
  const stats = viewNetworkStats(answer as never, { ...reading, windowHours: 24 });
  const shown = renderNetworkStats(
    { ...stats, provided: undefined },
    { tables: {}, now: () => new Date(created), columns: 100, paint: (_, text) => text },
  ).split('\n');
  expect(shown.filter((line) => line.includes('█'))).toHaveLength(drawn);
  expect(shown.find((line) => line.startsWith('All the time')) ?? '').toBe(named);
});
