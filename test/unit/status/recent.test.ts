import { expect, test } from 'vitest';
import type { Facts } from '../../../src/health/facts.ts';
import { judgePhase } from '../../../src/health/phase.ts';
import { createRecent } from '../../../src/status/recent.ts';
import { createFacts, now, providingFacts } from '../../../tools/docs/sample-facts.ts';

function makeRecent() {
  const clock = { ms: 0 };
  const recent = createRecent(
    () => now,
    () => clock.ms,
  );
  return { clock, recent, note: (facts: Facts) => recent.note(facts, judgePhase(facts, now)) };
}

test('a phase and a mode are events when they change, the newest first', () => {
  const { recent, note } = makeRecent();
  note(providingFacts);
  note(providingFacts);
  note(
    createFacts({ provide: { override: { mode: 'none', until: undefined }, effective: 'none' } }),
  );
  note(createFacts({ tunnel: { lastHandshakeAt: undefined } }));
  expect(
    recent
      .events()
      .map((event) =>
        'phase' in event ? event.phase : 'mode' in event && `${event.mode} ${event.chooser}`,
      ),
  ).toEqual([
    'connecting',
    'public configuration',
    'idle',
    'none override',
    'providing',
    'public configuration',
  ]);
});

test.each([
  [{ effective: 'none' }, 'agent'],
  [{ effective: 'none', scheduled: 'none' }, 'schedule'],
  [
    { effective: 'friends', scheduled: 'none', override: { mode: 'friends', until: undefined } },
    'override',
  ],
  [{}, 'configuration'],
] as const)('a mode %j is told to be of the %s', (provide, chooser) => {
  const { recent, note } = makeRecent();
  note(createFacts({ provide }));
  expect(recent.events()).toContainEqual(expect.objectContaining({ kind: 'mode', chooser }));
});

test('a device whose phase comes and goes for years keeps a bounded number of events and readings', () => {
  const { clock, recent, note } = makeRecent();
  for (let round = 0; round < 500; round += 1) {
    clock.ms += 15_000;
    const message = 'x'.repeat(5_000);
    note(providingFacts);
    note(createFacts({ gateway: { problem: { code: 'gateway-failed', message, since: now } } }));
  }
  expect(recent.events()).toHaveLength(50);
  expect(recent.readings()).toHaveLength(60);
  expect(JSON.stringify(recent.events()).length).toBeLessThan(50_000);
});

test('looks that come quickly are one reading', () => {
  const { clock, recent, note } = makeRecent();
  for (let round = 0; round < 41; round += 1) {
    note(providingFacts);
    clock.ms += 250;
  }
  expect(recent.readings().map(({ atMs }) => atMs)).toEqual([0, 10_000]);
});
