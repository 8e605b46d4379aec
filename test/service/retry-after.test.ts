import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRetryAfterSeconds } from '../../src/service/retry-after.ts';

const nowMs = Date.UTC(2026, 0, 1);

describe('Retry-After', () => {
  it.each([
    ['120', 120],
    [' 0 ', 0],
    ['999999', 86_400],
    ['Thu, 01 Jan 2026 00:02:00 GMT', 120],
    ['Thursday, 01-Jan-26 00:02:00 GMT', 120],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['Fri, 01 Jan 2027 00:00:00 GMT', 86_400],
    ['-5', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['1 minute', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%j is %j seconds', (header, seconds) => {
    expect(readRetryAfterSeconds(header, nowMs)).toBe(seconds);
  });

  it('is nothing or between now and a day, whatever comes', () => {
    const header = fc.oneof(
      fc.string(),
      fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
      fc.nat().map(String),
    );
    fc.assert(
      fc.property(header, (text) => {
        const seconds = readRetryAfterSeconds(text, nowMs) ?? 0;
        expect(seconds).toBeGreaterThanOrEqual(0);
        expect(seconds).toBeLessThanOrEqual(86_400);
      }),
    );
  });
});
