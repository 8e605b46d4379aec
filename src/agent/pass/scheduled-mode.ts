import type { Config } from '../../config/schema.ts';
import { createSchedule, type Schedule } from '../../provide/schedule.ts';

/** The mode and limit of the present configuration's schedule; undefined where it names none. */
export type ScheduledMode = (now: Date) => Promise<ReturnType<Schedule['at']>>;

/** Compiles the schedule once for each configuration. */
export function createScheduledMode(config: () => Config): ScheduledMode {
  let compiled: { readonly from: Config; readonly schedule: Schedule } | undefined;
  return async (now) => {
    const current = config();
    if (compiled?.from !== current) {
      const { schedule, time_zone: timeZone } = current.provide;
      compiled = { from: current, schedule: await createSchedule(schedule, timeZone) };
    }
    return compiled.schedule.at(now);
  };
}
