import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeHealth, noteHealth, startHealth } from '../../../src/health/health-check.ts';
import { phases } from '../../../src/health/phase.ts';
import { assertLaw } from '../law.ts';

const phase = fc.constantFrom(...phases);
const minuteMs = 60_000;

describe('health', () => {
  test.each([
    {
      claim: 'tolerates 299 s once it had worked',
      worked: true,
      afterMs: 299_000,
      isHealthy: true,
    },
    {
      claim: 'ends after 300 s once it had worked',
      worked: true,
      afterMs: 300_000,
      isHealthy: false,
    },
    {
      claim: 'tolerates 3599 s before it ever worked',
      worked: false,
      afterMs: 3_599_000,
      isHealthy: true,
    },
    {
      claim: 'ends after 3600 s before it ever worked',
      worked: false,
      afterMs: 3_600_000,
      isHealthy: false,
    },
  ])('$claim', ({ worked, afterMs, isHealthy }) => {
    const start = startHealth(7_000);
    const memory = worked ? noteHealth(start, 'providing', 7_000) : start;
    for (const unwell of ['connecting', 'registering', 'blocked', 'signed-out'] as const) {
      expect(judgeHealth(memory, unwell, 7_000 + afterMs).isHealthy).toBe(isHealthy);
    }
  });

  test.each(['providing', 'idle', 'paused'] as const)('is never lost in %s', (well) => {
    expect(judgeHealth(startHealth(0), well, 1e12).isHealthy).toBe(true);
  });

  test('is lost where stopping does not end within a minute', () => {
    const memory = noteHealth(startHealth(0), 'stopping', 5_000);
    const noted = noteHealth(memory, 'stopping', 60_000);
    expect(judgeHealth(noted, 'stopping', 64_000)).toEqual({ isHealthy: true, line: 'stopping' });
    expect(judgeHealth(noted, 'stopping', 65_000)).toEqual({
      isHealthy: false,
      line: 'stopping for 60 s',
    });
    expect(judgeHealth(startHealth(0), 'stopping', 1e12).isHealthy).toBe(true);
  });

  test('a minute of trouble never makes it unhealthy', () => {
    assertLaw(fc.tuple(fc.array(phase), phase), ([history, last]) => {
      const notes = history.entries().toArray();
      const memory = notes.reduce(
        (before, [at, seen]) => noteHealth(before, seen, at * minuteMs),
        startHealth(0),
      );
      const noted = noteHealth(memory, 'providing', history.length * minuteMs);
      expect(judgeHealth(noted, last, (history.length + 1) * minuteMs).isHealthy).toBe(true);
    });
  });

  test('says for how long it has been unwell', () => {
    expect(judgeHealth(startHealth(0), 'connecting', 61_000).line).toBe(
      'connecting for 61 s, tolerated for 3600 s',
    );
  });
});
