import * as z from 'zod';
import { provideModes } from '../service/profiles.ts';

/** A mode set by hand, as the state file keeps it. */
export const overrideSchema = z.object({
  mode: z.enum(provideModes),
  /** ISO 8601; absent: until it is cleared. */
  until: z.iso.datetime().optional(),
  setAt: z.iso.datetime(),
  /** Absent: by schedule and configuration. */
  limitBitsPerSecond: z.int().positive().optional(),
});

export type Override = Readonly<z.output<typeof overrideSchema>>;

/** An override from `now` on; `seconds` undefined: until it is cleared. */
export function createOverride(mode: Override['mode'], seconds: number | undefined, now: Date): Override {
  const until = seconds === undefined ? {} : { until: new Date(now.getTime() + seconds * 1000).toISOString() };
  return { mode, setAt: now.toISOString(), ...until };
}

/** The override that holds now; undefined where there is none or its time is over. */
export function currentOverride(override: Override | undefined, now: Date): Override | undefined {
  const isOver = override?.until !== undefined && Date.parse(override.until) <= now.getTime();
  return isOver ? undefined : override;
}
