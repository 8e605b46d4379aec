import type { PhaseReport } from '../health/phase.ts';
import { messageOf } from '../lib/errors.ts';
import type { Logger } from '../report/logger.ts';
import { createStateLogger } from '../report/state-logger.ts';
import type { Notice, Notify } from '../system/notify.ts';
import type { Loop } from './run-loop.ts';

export interface SupervisorParts {
  readonly notify: Notify;
  /** Silence in ms after which systemd ends the agent; undefined if it does not watch. */
  readonly watchdogMs: number | undefined;
  readonly report: () => PhaseReport;
  /**
   * Loops that no longer run. With one, no sign of life is sent, so systemd ends the agent and
   * starts it again.
   */
  readonly stalledLoops: () => readonly string[];
  readonly log: Logger;
}

const mostLookMs = 5_000;

/** Tells systemd that the agent is up, what it is doing, that it is alive, and that it ends. */
export interface Supervisor extends Loop {
  /** The first tick says that the agent is up. Not being heard is no reason to stop. */
  tick(): Promise<number>;
  /** Says that a reload is under way while `reload` runs. @throws what `reload` throws */
  whileReloading(reload: () => Promise<void>): Promise<void>;
  /** Says that the agent stops; called once, before it is taken down. */
  stopping(): Promise<void>;
}

export function createSupervisor(parts: SupervisorParts): Supervisor {
  const { watchdogMs, stalledLoops } = parts;
  const silenceMs = watchdogMs ?? Number.POSITIVE_INFINITY;
  const lookMs = Math.min(mostLookMs, silenceMs / 6);
  const sendNotice = createSendNotice(parts);
  let said: string | undefined;
  let aliveMs = performance.now();
  return {
    name: 'supervisor',
    isOptional: true,
    isOnBeat: true,
    /**
     * The tick of a loop. The first one reports that the agent is up. Resolves with the ms until
     * the next.
     */
    async tick() {
      const status = describe(parts.report);
      const startedMs = performance.now();
      // Each notice starts a program. So it is sent as late as leaves time to repeat a failed one.
      const isAliveDue =
        startedMs - aliveMs + 2.5 * lookMs >= silenceMs && stalledLoops().length === 0;
      const notice: Notice = {
        ...(said === undefined ? { READY: '1' } : {}),
        ...(status === said ? {} : { STATUS: status }),
        ...(isAliveDue ? { WATCHDOG: '1' } : {}),
      };
      if (Object.keys(notice).length > 0 && (await sendNotice(notice))) {
        said = status;
        if (isAliveDue) aliveMs = startedMs;
      }
      return lookMs;
    },
    async whileReloading(reload) {
      await sendNotice({ RELOADING: '1' });
      await reload();
      await sendNotice({ READY: '1' });
    },
    async stopping() {
      await sendNotice({ STOPPING: '1', STATUS: 'stopping' });
    },
  };
}

/** A bug in what judges the agent is no silence: only stalled loops withhold the sign of life. */
function describe(judge: SupervisorParts['report']): string {
  try {
    const { phase, reasons } = judge();
    return [phase, ...reasons.slice(0, 1).map(({ message }) => message)].join(': ');
  } catch (error) {
    return `the phase cannot be told: ${messageOf(error)}`;
  }
}

/** A notice that cannot be sent is logged once, and is no reason to stop. */
function createSendNotice({ notify, log }: SupervisorParts): (notice: Notice) => Promise<boolean> {
  const states = createStateLogger(log);
  return async (notice) => {
    const reason = await notify(notice).then(() => undefined, messageOf);
    const isHeard = reason === undefined;
    const [state, level] = isHeard
      ? (['heard', 'debug'] as const)
      : (['not heard', 'warn'] as const);
    states.note({ topic: 'supervisor', state, level, message: 'supervisor', fields: { reason } });
    return isHeard;
  };
}
