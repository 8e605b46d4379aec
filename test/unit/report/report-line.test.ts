import { describe, expect, test } from 'vitest';
import { judgePhase } from '../../../src/health/phase.ts';
import { composeReportLine } from '../../../src/report/report-line.ts';
import { createFacts, freshFacts, now, providingFacts } from '../../../tools/docs/sample-facts.ts';

const report = judgePhase(providingFacts, now);

describe('a report', () => {
  test('counts since the last one, and from zero for a counter that began again', () => {
    const { total } = composeReportLine(providingFacts, report);
    const previous = { ...total, forwardedUpBytes: 179_999_000, tunnelRxBytes: 9e12 };
    const { since } = composeReportLine(providingFacts, report, previous);
    expect(since).toEqual({
      tunnelRxBytes: 200_000_000,
      tunnelTxBytes: 0,
      forwardedUpBytes: 1_000,
      forwardedDownBytes: 0,
      refusedPackets: 0,
    });
  });

  test('sets the figures of the service beside ours, with the difference', () => {
    const { day } = composeReportLine(providingFacts, report);
    expect(day).toMatchObject({
      ourBytes: 1_500_000_000,
      serviceBytes: 1_490_000_000,
      differenceBytes: 10_000_000,
    });
  });

  test('claims no difference where one side is unknown', () => {
    const { serviceFigures: figures } = providingFacts;
    const facts = {
      ...providingFacts,
      serviceFigures: figures && { ...figures, hereBytes: undefined },
    };
    const { day } = composeReportLine(facts, report);
    expect(day).toMatchObject({ serviceBytes: 1_490_000_000, differenceBytes: undefined });
    expect(composeReportLine(freshFacts, report).day).toBeUndefined();
  });

  test('names the root cause', () => {
    const facts = createFacts({ tunnel: { backend: undefined } });
    const line = composeReportLine(facts, judgePhase(facts, now));
    expect(line).toMatchObject({ phase: 'connecting', reason: 'tunnel-starting' });
  });
});
