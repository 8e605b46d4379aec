import type { Accounting } from '../data-path/usage-accounting.ts';
import { formatBytes } from '../lib/units.ts';
import { toWantedMode } from '../provide/arbitration.ts';
import { currentOverride } from '../provide/override.ts';
import { createSchedule, type Schedule } from '../provide/schedule.ts';
import type { Board } from './state.ts';

/** Decides the mode anew from all that has a say in it, and puts it on the board. */
export type ModeDecision = () => Promise<void>;

export interface ModeDecisionParts {
  readonly board: Board;
  readonly accounting: Accounting;
  readonly now: () => Date;
}

export function createModeDecision({ board, accounting, now }: ModeDecisionParts): ModeDecision {
  let compiled: { readonly from: Board['config']; readonly schedule: Schedule } | undefined;
  return async () => {
    const { provide } = board.config;
    if (compiled?.from !== board.config) {
      compiled = { from: board.config, schedule: await createSchedule(provide.schedule, provide.time_zone) };
    }
    const usage = accounting.current();
    const wasReached = board.pause?.code === 'cap-reached';
    board.override = currentOverride(board.override, now());
    board.scheduled = compiled.schedule.at(now())?.mode;
    board.usage = {
      periodStart: usage?.period.start,
      resetsAt: provide.cap === undefined ? undefined : usage?.period.end,
      bytes: usage?.bytes ?? 0,
    };
    const before = board.wanted?.mode;
    board.wanted = toWantedMode({
      configured: provide.mode,
      scheduled: board.scheduled,
      override: board.override?.mode,
      isCapReached: usage?.isCapReached ?? false,
      isFenceBreached: board.dataPath?.isFenced === false,
      isUplinkPaused: false,
    });
    if (board.wanted.source !== 'cap') board.pause = undefined;
    else if (!wasReached) {
      const message = `The data cap of ${formatBytes(provide.cap?.bytes ?? 0)} is reached.`;
      board.pause = { code: 'cap-reached', message, since: now() };
    }
    if (board.wanted.mode !== before) board.wakes.announce.notify();
  };
}
