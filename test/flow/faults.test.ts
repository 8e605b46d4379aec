import { describe, expect, test } from 'vitest';
import { shortRows } from '../faults/rows.ts';
import { runFault } from '../faults/run-fault.ts';

describe('a device that provides', () => {
  test.each(shortRows)('goes on through $name ($where), says why, asks seldom, and is back soon', async (fault) => {
    const outcome = await runFault(fault);
    const isHarmless = fault.reason === undefined;
    expect(outcome).toMatchObject({ isTrafficKept: true, reason: fault.reason });
    expect(outcome.requestsPerMinute).toBeLessThanOrEqual(18);
    // One where it begins, none for each try.
    expect(outcome.phaseLines).toBeLessThanOrEqual(isHarmless ? 0 : 1);
    expect(outcome.recoverySeconds).toBeLessThanOrEqual(120);
    // The service's own refusal is an answer of the service; what is on the way there is not.
    if (isHarmless) return;
    expect(outcome.isReachable).toBe(fault.reason === 'service-refused');
    expect(outcome.reasonOfDeadTunnel).toBe(fault.reason);
  });
});
