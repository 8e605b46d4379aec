import { describe, expect, test } from 'vitest';
import type { Phase } from '../../../src/health/phase.ts';
import { createPhaseChanges, type PhaseChange } from '../../../src/report/webhook-news.ts';
import { now } from '../../../tools/docs/sample-facts.ts';

const settleMs = 5_000;

/** What is noticed when these phases are seen, each a second after the one before. */
function notice(seen: readonly Phase[]): readonly PhaseChange[] {
  const noticeChange = createPhaseChanges(settleMs);
  return seen.flatMap((phase, second) => {
    const at = new Date(now.getTime() + second * 1000);
    return noticeChange({ phase, reasons: [] }, at, second * 1000) ?? [];
  });
}

const lasting = (phase: Phase, seconds = 6) => Array.from({ length: seconds }, () => phase);
const toWords = (changes: readonly PhaseChange[]) =>
  changes.map(({ from, to }) => `${from ?? ''} → ${to.phase}`);

describe('a change of the phase', () => {
  test.each([
    { claim: 'is told once it has lasted', seen: lasting('providing', 20), told: [' → providing'] },
    { claim: 'is not told before it has', seen: lasting('providing', 5), told: [] },
    {
      claim: 'that is only passed through on the way up is not told',
      seen: ['registering', 'connecting', ...lasting('providing')],
      told: [' → providing'],
    },
    {
      claim: 'and back again is nothing',
      seen: [...lasting('providing'), ...lasting('connecting', 4), ...lasting('providing', 20)],
      told: [' → providing'],
    },
    {
      claim: 'for good is told with where it came from',
      seen: [...lasting('providing'), ...lasting('connecting'), ...lasting('providing')],
      told: [' → providing', 'providing → connecting', 'connecting → providing'],
    },
    {
      claim: 'between two that never last is never told',
      seen: [
        ...lasting('providing'),
        ...Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 'blocked' : 'connecting')),
      ],
      told: [' → providing'],
    },
    {
      claim: 'to stopping is not told',
      seen: [...lasting('providing'), ...lasting('stopping', 20)],
      told: [' → providing'],
    },
  ] as const)('$claim', ({ seen, told }) => {
    expect(toWords(notice(seen as readonly Phase[]))).toEqual(told);
  });

  test('carries the time at which it began, not at which it was told', () => {
    const [, change] = notice([...lasting('providing'), ...lasting('blocked')]);
    expect(change?.at).toEqual(new Date(now.getTime() + 6_000));
  });
});
