import { type Health, judgeHealth, noteHealth, startHealth } from '../../health/health-check.ts';
import { judgePhase, type Phase } from '../../health/phase.ts';
import { isOwnersTurn } from '../../health/phase-traits.ts';
import { createStateLogger } from '../../report/state-logger.ts';
import { createRecent, type Recent, type RecentEvent } from '../../status/recent.ts';
import type { Shared } from '../state.ts';

/**
 * What is remembered of the phase: the last line about it in the log, what the health check needs,
 * what the page shows.
 */
export interface PhaseNotes {
  /** Called after every pass of the data path: remembers the phase, logs a change, returns it. */
  note(): Phase;
  /** What the page shows of the time before. */
  readonly recent: Recent;
  /** For `tributary health` and `/livez`: how long the agent has not been well, by now. */
  health(): Health;
}

export function createPhaseNotes({
  facts,
  log,
  now,
  earlier = [],
}: Pick<Shared, 'facts' | 'log' | 'now'> & {
  /** Events of earlier runs, the newest first. */
  readonly earlier?: readonly RecentEvent[];
}): PhaseNotes {
  const states = createStateLogger(log);
  const start = { kind: 'start', at: now(), version: facts().version } as const;
  const recent = createRecent(now, () => performance.now(), [start, ...earlier]);
  let health = startHealth(performance.now());
  return {
    /** Notes the present phase. It is called after every pass of the data path. */
    note() {
      const current = facts();
      const report = judgePhase(current, now());
      const { phase, reasons } = report;
      recent.note(current, report);
      health = noteHealth(health, phase, performance.now());
      const [reason, ...others] = reasons;
      states.note({
        topic: 'phase',
        // A note that appears or disappears beside an unchanged phase and cause deserves a line
        // too.
        state: [phase, reason?.code, ...others.map((other) => other.code)].join(' '),
        level: isOwnersTurn(phase) ? 'error' : 'info',
        message: 'phase',
        fields: {
          phase,
          reason: reason?.code,
          detail: reason?.message,
          action: reason?.action,
          notes: others.length > 0 ? others.map((other) => other.code).join(' ') : undefined,
        },
      });
      return phase;
    },
    recent,
    health() {
      const { phase } = judgePhase(facts(), now());
      // No pass notes the phase any more once the agent is stopping.
      if (phase === 'stopping') health = noteHealth(health, phase, performance.now());
      return judgeHealth(health, phase, performance.now());
    },
  };
}
