import type { Facts } from '../health/facts.ts';
import { type Health, noteHealth, startHealth, toHealth } from '../health/health.ts';
import { type Phase, toPhase } from '../health/phase.ts';
import type { Logger } from '../report/logger.ts';
import { createStateLogger } from '../report/state-logger.ts';
import { createRecent, type Recent } from '../status/recent.ts';

/** Looks at the phase: says when it changes, and keeps what the health check needs. */
export interface PhaseWatch {
  /** To be called with every pass: the phase now. */
  readonly look: () => Phase;
  readonly health: () => Health;
  /** What was seen since the start, for the page. */
  readonly recent: Recent;
  /** True where the agent would be providing if the gateway were open: the one condition for opening it. */
  readonly wouldProvide: () => boolean;
}

export interface PhaseWatchParts {
  readonly facts: () => Facts;
  readonly log: Logger;
  readonly now: () => Date;
}

export function createPhaseWatch({ facts, log, now }: PhaseWatchParts): PhaseWatch {
  const states = createStateLogger(log);
  const recent = createRecent(now, () => performance.now());
  let health = startHealth(performance.now());
  return {
    look() {
      const current = facts();
      const report = toPhase(current, now());
      const { phase, reasons } = report;
      recent.note(current, report);
      health = noteHealth(health, phase, performance.now());
      const [reason, ...others] = reasons;
      const isBad = phase === 'blocked' || phase === 'signed-out';
      states.note({
        topic: 'phase',
        // A note that comes or goes beside the same phase and cause is a change worth a line too.
        state: [phase, reason?.code, ...others.map((other) => other.code)].join(' '),
        level: isBad ? 'error' : 'info',
        message: 'phase',
        fields: { phase, reason: reason?.code, detail: reason?.message, action: reason?.action },
      });
      return phase;
    },
    recent,
    health: () => toHealth(health, toPhase(facts(), now()).phase, performance.now()),
    wouldProvide() {
      const current = facts();
      const ifOpen = { ...current, gateway: { ...current.gateway, isOpen: true } };
      return toPhase(ifOpen, now()).phase === 'providing';
    },
  };
}
