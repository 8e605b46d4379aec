import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgePhase } from '../../../src/health/phase.ts';
import { addReading, countDayBytes, startByteWindow } from '../../../src/report/byte-window.ts';
import { composeReportLine, readReportTotals } from '../../../src/report/report-line.ts';
import { createFacts, freshFacts, now, providingFacts } from '../health/sample-facts.ts';
import { assertLaw } from '../law.ts';

const report = judgePhase(providingFacts, now);

describe('a report', () => {
  test('counts since the last one, and a counter that began anew from zero', () => {
    const previous = { ...readReportTotals(providingFacts), forwardedUpBytes: 1_399_999_000, tunnelRxBytes: 9e12 };
    const { since } = composeReportLine({ facts: providingFacts, report, previous, dayBytes: undefined });
    expect(since).toEqual({
      tunnelRxBytes: 1_500_000_000,
      tunnelTxBytes: 0,
      forwardedUpBytes: 1_000,
      forwardedDownBytes: 0,
      refusedPackets: 0,
    });
  });

  test('sets the figures of the service beside ours, with the difference', () => {
    const { day } = composeReportLine({ facts: providingFacts, report, previous: undefined, dayBytes: 1_500_000_000 });
    expect(day).toMatchObject({ ourBytes: 1_500_000_000, serviceBytes: 1_490_000_000, differenceBytes: 10_000_000 });
  });

  test('claims no difference where one side is unknown', () => {
    const input = { facts: providingFacts, report, previous: undefined, dayBytes: undefined };
    expect(composeReportLine(input).day?.differenceBytes).toBeUndefined();
    expect(composeReportLine({ ...input, facts: freshFacts }).day).toBeUndefined();
  });

  test('names the root cause', () => {
    const facts = createFacts({ tunnel: { backend: undefined } });
    const line = composeReportLine({ facts, report: judgePhase(facts, now), previous: undefined, dayBytes: undefined });
    expect(line).toMatchObject({ phase: 'connecting', reason: 'tunnel-starting' });
  });
});

describe('the last 24 hours', () => {
  const hourMs = 3_600_000;

  test('are unknown until they are over, then exclude what came before', () => {
    let window = startByteWindow(0, 500);
    for (let hour = 1; hour <= 23; hour += 1) window = addReading(window, hour * hourMs, 500 + hour);
    expect(countDayBytes(window)).toBeUndefined();
    for (let hour = 24; hour <= 48; hour += 1) window = addReading(window, hour * hourMs, 500 + hour);
    expect(countDayBytes(window)).toBe(24);
  });

  test('lose nothing to a counter that began anew', () => {
    const before = addReading(startByteWindow(0, 100), hourMs, 400);
    const after = addReading(addReading(before, hourMs + 1, 50), 24 * hourMs, 60);
    expect(countDayBytes(after)).toBe(300 + 50 + 10);
  });

  test('stay small however often they are read, and count every byte', () => {
    const steps = fc.array(fc.tuple(fc.nat(120_000), fc.nat(1000)), { minLength: 1500, maxLength: 1500 });
    assertLaw(fc.noShrink(steps), (growths) => {
      let window = startByteWindow(0, 0);
      let atMs = 0;
      let bytes = 0;
      for (const [laterMs, more] of growths) {
        atMs += laterMs;
        bytes += more;
        window = addReading(window, atMs, bytes);
      }
      expect(window.readings.length).toBeLessThan(600);
      expect(window.readings.at(-1)?.grownBytes).toBe(bytes);
    });
  });
});
