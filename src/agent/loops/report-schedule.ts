import { createSchedule } from '../../provide/schedule.ts';

export interface ReportTickParts {
  /** Cron expression of five fields. */
  readonly cron: string;
  readonly timeZone: string | undefined;
  readonly report: (signal: AbortSignal) => Promise<void>;
  readonly now: () => Date;
}

const minuteMs = 60_000;

/** By the minute and by our own schedule: node-cron's timers touch Intl, which costs several MB of memory. */
export function createReportTick(parts: ReportTickParts): (signal: AbortSignal) => Promise<number> {
  const { cron, timeZone, report, now } = parts;
  const opened = createSchedule([{ cron, mode: 'default' }], timeZone);
  let lastFiredMs: number | undefined;
  let isFirst = true;
  return async (signal) => {
    const schedule = await opened;
    const firedMs = schedule.at(now())?.since.getTime();
    // Another time, not a later one: a clock that was put back must not silence the report.
    if (!isFirst && firedMs !== lastFiredMs) await report(signal);
    isFirst = false;
    lastFiredMs = firedMs;
    return minuteMs - (now().getTime() % minuteMs);
  };
}
