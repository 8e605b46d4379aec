import type { Phase } from '../../health/phase.ts';

export interface PassSituation {
  readonly phase: Phase;
  /** True while the tunnel is up and its first handshake may come any moment. */
  readonly isHandshakeDue: boolean;
  /** True until the first self-test of the fence could be judged. */
  readonly isSelfTestDue: boolean;
  /** Time in ms since phase or tunnel last changed. */
  readonly unchangedMs: number;
  readonly permitSeconds: number;
}

const steadyMs = 20_000;
const selfTestMs = 1_000;

/**
 * The ms to the next pass: short where a change is expected, long where nothing happens, and a
 * third of the permit's time while a permit is needed.
 */
export function choosePassIntervalMs(situation: PassSituation): number {
  const { phase, isHandshakeDue, unchangedMs, permitSeconds } = situation;
  switch (phase) {
    case 'providing':
      return Math.min(situation.isSelfTestDue ? selfTestMs : steadyMs, (permitSeconds * 1000) / 3);
    case 'idle':
    case 'paused':
    case 'stopping':
      return steadyMs;
    case 'signed-out':
    case 'registering':
    case 'connecting':
    case 'blocked':
      if (isHandshakeDue && unchangedMs < 15_000) return 250;
      return unchangedMs < 120_000 ? 3_000 : 10_000;
  }
}
