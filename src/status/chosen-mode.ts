import type { Facts } from '../health/facts.ts';
import type { ProvideMode } from '../service/profiles.ts';
import type { StatusDocument } from './document.ts';

export interface ChosenMode {
  readonly mode: ProvideMode;
  /** `agent`: it holds the owner's back. */
  readonly chooser: keyof typeof chooserWords;
}

export const chooserWords = {
  agent: 'held by the agent',
  override: 'set by hand',
  schedule: 'by the schedule',
  configuration: 'as configured',
} as const;

/** The owner's mode: by hand before the schedule, the schedule before the configuration. */
export function findChosenMode(provide: Facts['provide'] | StatusDocument['provide']): ChosenMode {
  const { override, scheduled, configured } = provide;
  if (override) return { mode: override.mode, chooser: 'override' };
  if (scheduled) return { mode: scheduled, chooser: 'schedule' };
  return { mode: configured, chooser: 'configuration' };
}
