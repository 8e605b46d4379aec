import type { ProvideMode } from '../service/profiles.ts';

/** Who decided the mode. */
type ModeSource = 'cap' | 'fence' | 'uplink' | 'override' | 'schedule' | 'configuration';

export interface WantedMode {
  readonly mode: ProvideMode;
  readonly source: ModeSource;
}

export interface Claims {
  readonly configured: ProvideMode;
  /** undefined: no schedule, or nothing of it has fired. */
  readonly scheduled: ProvideMode | undefined;
  /** undefined: none holds. */
  readonly override: ProvideMode | undefined;
  readonly isCapReached: boolean;
  /** The kernel does not hold the gateway's rules as they were given. */
  readonly isFenceBreached: boolean;
  readonly isUplinkPaused: boolean;
}

/** The one mode that holds: a limit makes it none, else override, schedule, configuration, in this order. */
export function toWantedMode(claims: Claims): WantedMode {
  if (claims.isCapReached) return { mode: 'none', source: 'cap' };
  if (claims.isFenceBreached) return { mode: 'none', source: 'fence' };
  if (claims.isUplinkPaused) return { mode: 'none', source: 'uplink' };
  if (claims.override !== undefined) return { mode: claims.override, source: 'override' };
  if (claims.scheduled !== undefined) return { mode: claims.scheduled, source: 'schedule' };
  return { mode: claims.configured, source: 'configuration' };
}
