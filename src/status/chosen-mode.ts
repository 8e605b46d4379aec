import type { ProvideMode } from '../service/profiles.ts';

export interface ChosenMode {
  readonly mode: ProvideMode;
  /** `agent`: it holds the owner's back. */
  readonly chooser: keyof typeof chooserWords;
}

interface Choices {
  readonly override: { readonly mode: ProvideMode } | null | undefined;
  readonly scheduled: ProvideMode | null | undefined;
  readonly configured: ProvideMode;
}

export const chooserWords = {
  agent: 'held by the agent',
  override: 'set by hand',
  schedule: 'by the schedule',
  configuration: 'as configured',
} as const;

/** The owner's mode: by hand before the schedule, the schedule before the configuration. */
export function findChosenMode({ override, scheduled, configured }: Choices): ChosenMode {
  if (override) return { mode: override.mode, chooser: 'override' };
  if (scheduled) return { mode: scheduled, chooser: 'schedule' };
  return { mode: configured, chooser: 'configuration' };
}
