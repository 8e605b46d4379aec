import type { ProvideMode } from '../service/profiles.ts';

export interface ModeSources {
  readonly configured: ProvideMode;
  /** undefined: no schedule, or nothing of it has fired. */
  readonly scheduled: ProvideMode | undefined;
  /** Set by hand; undefined: not set. */
  readonly override: ProvideMode | undefined;
}

/** The mode that the owner chose: by hand, else by the schedule, else in the configuration. Limits come later: `mayForward`. */
export function decideMode({ configured, scheduled, override }: ModeSources): ProvideMode {
  return override ?? scheduled ?? configured;
}
