import type { Phase } from '../../health/phase.ts';

export interface PassSituation {
  readonly phase: Phase;
  /** True while the tunnel is there and its first handshake is due any moment. */
  readonly isHandshakeDue: boolean;
  /** True while no self-test of the fence could be judged yet. */
  readonly isSelfTestDue: boolean;
  /** Since phase or tunnel last changed. */
  readonly unchangedMs: number;
  readonly permitSeconds: number;
}

const steadyMs = 20_000;
const selfTestMs = 1_000;

/**
 * In ms: quick where a change is due, slow where nothing is, three times within the permit while it
 * is needed.
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
