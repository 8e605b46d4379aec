import { toFailure } from '../../errors/codes.ts';
import type { Wakeup } from '../../lib/wakeup.ts';
import type { StatusServer } from '../../status/server.ts';
import type { AgentParts } from '../create-agent.ts';
import { every, type Loop } from '../run-loop.ts';

/** How often (ms) the agent looks whether commands and page still find it. */
const lookMs = 10_000;

export interface StatusLoopParts {
  readonly status: Pick<StatusServer, 'keepOpen'>;
  readonly log: Pick<AgentParts['log'], 'info' | 'warn'>;
  /** Ends the wait for the next look. */
  readonly wakeup: Wakeup;
}

/** Opens socket and page again where they are gone, or could not be opened before. */
export function createStatusLoop({ status, log, wakeup }: StatusLoopParts): Loop {
  let said: string | undefined;
  const loop = every({
    name: 'status',
    isOptional: true,
    isOnBeat: true,
    firstAfterMs: lookMs,
    waitMs: lookMs,
    async work() {
      const done = await status
        .keepOpen()
        .catch(toFailure('state-unwritable', 'state-unreadable', 'already-running'));
      const problem = done instanceof Error ? done.message : undefined;
      if (Array.isArray(done) && done.length > 0) log.info({ opened: done }, 'status');
      if (problem !== undefined && problem !== said)
        log.warn({ reason: problem }, 'commands do not reach the agent');
      said = problem;
    },
  });
  return { ...loop, wakeup };
}
