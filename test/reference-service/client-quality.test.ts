import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dayMs, hourMs } from '../../src/lib/units.ts';
import { blendSpeed, rateClient } from '../../src/reference-service/client-quality.ts';

describe('the quality of a client', () => {
  test.each([
    ['never online', 9e9, 0, dayMs, 0],
    ['always online, never measured', 0, dayMs, 9 * dayMs, 0.25],
    ['always online, of middling speed', 1_250_000, dayMs, 9 * dayMs, 0.63],
    ['online for half a day, very fast', 1e12, dayMs / 2, 9 * dayMs, 0.5],
    ['always online since it was registered', 1e12, 2 * hourMs, 2 * hourMs, 1],
    ['new', 1e12, 60_000, 60_000, 0.02],
  ])('%s', (_, bytesPerSecond, onlineMs, ageMs, quality) => {
    expect(rateClient({ bytesPerSecond, onlineMs, ageMs })).toBe(quality);
  });
  test('is from 0 to 1, and never falls with speed or time online', () => {
    const figures = fc.record({
      bytesPerSecond: fc.nat(2 ** 31 - 1),
      onlineMs: fc.nat(2 * dayMs),
      ageMs: fc.nat(9e9),
    });
    fc.assert(
      fc.property(figures, fc.nat(1e9), (record, more) => {
        const quality = rateClient(record);
        expect(quality).toBeGreaterThanOrEqual(0);
        expect(quality).toBeLessThanOrEqual(1);
        expect(
          rateClient({ ...record, bytesPerSecond: record.bytesPerSecond + more }),
        ).toBeGreaterThanOrEqual(quality);
        expect(rateClient({ ...record, onlineMs: record.onlineMs + more })).toBeGreaterThanOrEqual(
          quality,
        );
      }),
    );
  });
});

describe('the speed of a client', () => {
  test.each([
    ['is the first that was measured', 0, 1234.4, 1234],
    ['is half-way to a faster one', 1000, 3000, 2000],
    ['is hardly changed by a slower one', 3200, 0, 3100],
  ])('%s', (_, known, measured, expected) => {
    expect(blendSpeed(known, measured)).toBe(expected);
  });
});
