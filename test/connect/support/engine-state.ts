import type { StateMessage } from '../../../src/connect/engine/messages.ts';

/** What an engine says that is connected and published, and has carried nothing yet. */
export function toState(change: Partial<StateMessage> = {}): StateMessage {
  return {
    type: 'state',
    isConnected: true,
    connectedSince: 1_700_000_000_000,
    url: 'wss://connect.example/',
    clockRate: 1,
    isPublished: true,
    problem: null,
    counters: {
      consumers: 0,
      upBytes: 0,
      downBytes: 0,
      overheadBytes: 0,
      admittedContracts: 0,
      refusedContracts: {},
      unpaidBytes: 0,
      doubtfulBytes: 0,
      reportsWaiting: 0,
      dropped: {},
      failedWrites: 0,
    },
    ...change,
  };
}
