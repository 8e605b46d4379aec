import { expect, test } from 'vitest';
import {
  choosePassIntervalMs,
  type PassSituation,
} from '../../../../src/agent/pass/data-path-loop.ts';
import { phases } from '../../../../src/health/phase.ts';

const providing: PassSituation = {
  phase: 'providing',
  isHandshakeDue: false,
  isSelfTestDue: false,
  isCapBusy: false,
  unchangedMs: 0,
  permitSeconds: 60,
};

test.each([
  ['steady while providing', {}, 20_000],
  ['soon while the self-test has shown nothing yet', { isSelfTestDue: true }, 1_000],
  ['soon while the cap is given out', { isCapBusy: true }, 2_000],
  ['three times within a short permit', { permitSeconds: 6 }, 2_000],
  ['steady while idle', { phase: 'idle' }, 20_000],
  ['steady while paused', { phase: 'paused' }, 20_000],
  [
    'at once again while the first handshake is due',
    { phase: 'connecting', isHandshakeDue: true },
    250,
  ],
  [
    'less often when the handshake does not come',
    { phase: 'connecting', isHandshakeDue: true, unchangedMs: 15_000 },
    3_000,
  ],
  ['quick for two minutes of trouble', { phase: 'registering', unchangedMs: 119_999 }, 3_000],
  ['slow in lasting trouble', { phase: 'blocked', unchangedMs: 120_000 }, 10_000],
] as const)('the next pass comes %s', (_name, change, expectedMs) => {
  expect(choosePassIntervalMs({ ...providing, ...change })).toBe(expectedMs);
});

test.each(phases)('no phase (%s) makes a hot loop', (phase) => {
  for (const unchangedMs of [0, 1e9]) {
    for (const isHandshakeDue of [true, false]) {
      const intervalMs = choosePassIntervalMs({
        ...providing,
        phase,
        isHandshakeDue,
        unchangedMs,
        permitSeconds: 5,
      });
      expect(intervalMs).toBeGreaterThanOrEqual(250);
      expect(intervalMs).toBeLessThanOrEqual(20_000);
    }
  }
});
