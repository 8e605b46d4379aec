import { judgePhase } from '../../health/phase.ts';
import { createSchedule } from '../../provide/schedule.ts';
import type { Shared } from '../state.ts';

export interface ReportTickParts extends Pick<Shared, 'facts' | 'now'> {
  /** Cron expression of five fields. */
  readonly cron: string;
  readonly timeZone: string | undefined;
  readonly report: (signal: AbortSignal) => Promise<void>;
}

const minuteMs = 60_000;

/**
 * By the minute and by our own schedule: node-cron's timers touch Intl, which costs several MB of memory. Once besides, about
 * a minute after the first providing, when the service has counted something.
 */
export function createReportTick(parts: ReportTickParts): (signal: AbortSignal) => Promise<number> {
  const { cron, timeZone, report, facts, now } = parts;
  const opened = createSchedule([{ cron, mode: 'default' }], timeZone);
  let lastFiredMs: number | undefined;
  let isFirst = true;
  let providingTicks = 0;
  return async (signal) => {
    const schedule = await opened;
    const firedMs = schedule.at(now())?.since.getTime();
    // Another time, not a later one: a clock that was put back must not silence the report.
    const isDue = !isFirst && firedMs !== lastFiredMs;
    if (providingTicks > 0 || judgePhase(facts(), now()).phase === 'providing') providingTicks += 1;
    if (isDue || (providingTicks === 2 && facts().serviceFigures === undefined)) await report(signal);
    isFirst = false;
    lastFiredMs = firedMs;
    return minuteMs - (now().getTime() % minuteMs);
  };
}
