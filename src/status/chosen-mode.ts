import type { Facts } from '../health/facts.ts';
import type { ProvideMode } from '../service/profiles.ts';
import type { StatusDocument } from './document.ts';

export interface ChosenMode {
  readonly mode: ProvideMode;
  /** Who chose the mode. `agent` means that the agent overrules the owner's mode. */
  readonly chooser: keyof typeof chooserWords;
}

export const chooserWords = {
  agent: 'held by the agent',
  override: 'set by hand',
  schedule: 'by the schedule',
  configuration: 'as configured',
} as const;

/** The owner's mode: set by hand, else by the schedule, else by the configuration. */
export function findChosenMode(provide: Facts['provide'] | StatusDocument['provide']): ChosenMode {
  const { override, scheduled, configured } = provide;
  if (override) return { mode: override.mode, chooser: 'override' };
  if (scheduled) return { mode: scheduled, chooser: 'schedule' };
  return { mode: configured, chooser: 'configuration' };
}
