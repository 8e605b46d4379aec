import type { Config } from '../config/schema.ts';
import type { Sections } from './state.ts';

/** The sections as they begin: nothing was read or asked. */
export function createSections(
  config: Config,
  startedAt: Date,
  certificateAuthority?: string,
): Sections {
  return {
    life: { startedAt },
    configuration: { config, certificateAuthority },
    contact: { requests: {} },
    service: {},
    path: {},
    denied: { lists: [], badAddresses: [] },
    sources: { all: [] },
    outside: {},
    connections: {},
    counters: {},
    mode: {},
    household: {
      bitsPerSecond: undefined,
      ceilingBitsPerSecond: undefined,
      yieldingSince: undefined,
      yields: 0,
      measuredTo: undefined,
      pingProblem: undefined,
    },
    announcement: {},
    figures: {},
    ledger: {},
    deliveries: { failing: [] },
  };
}
