import type { DesiredDataPath } from '../../../src/data-path/state.ts';
import { noTotals } from '../gateway/policy-fixture.ts';

/** What an owner wants who has set nothing, apart from the sources. */
export const usualDesired: Omit<DesiredDataPath, 'sources'> = {
  configuredUplink: undefined,
  gateway: {
    allowDestinations: [],
    denyDestinations: [],
    blockedPorts: [25],
    openProtocols: [],
    pagePort: undefined,
  },
  line: { limitBits: undefined, isHouseholdFirst: true, isLowPriority: true },
  denied: [],
  strict: { setting: 'auto', mode: 'public' },
  badAddresses: [],
  publicAddresses: undefined,
  stopAtBytes: undefined,
  newUntilBytes: undefined,
  totals: noTotals,
};
