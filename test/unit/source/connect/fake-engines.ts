import type { EngineLifeOptions } from '../../../../src/source/connect/engine-life.ts';
import type { FromEngine, KeepMessage, ToEngine } from '../../../../src/source/connect/protocol.ts';

/** One process of an engine, as a test plays it. */
export interface FakeEngine {
  /** What it was told, in order. */
  readonly told: readonly ToEngine[];
  readonly hasHungUp: () => boolean;
  readonly wasKilled: () => boolean;
  readonly isRunning: () => boolean;
  say(message: FromEngine): void;
  /** Writes a line to its standard error. */
  complain(line: string): void;
  /** Ends as a process does, in words. */
  end(how: string): void;
}

/** Starts engines that do nothing but what a test has them do. */
export function createFakeEngines() {
  const engines: FakeEngine[] = [];
  const start: EngineLifeOptions['start'] = (heard) => {
    const told: ToEngine[] = [];
    let hasHungUp = false;
    let wasKilled = false;
    let isRunning = true;
    const end = (how: string) => {
      if (!isRunning) return;
      isRunning = false;
      heard.onEnd(how);
    };
    engines.push({
      told,
      hasHungUp: () => hasHungUp,
      wasKilled: () => wasKilled,
      isRunning: () => isRunning,
      say: (message) => heard.onMessage(message),
      complain: (line) => heard.onErrorLine(line),
      end,
    });
    return {
      tell: (message) => void told.push(message),
      hangUp() {
        hasHungUp = true;
      },
      kill() {
        wasKilled = true;
        queueMicrotask(() => end('was ended by SIGKILL'));
      },
    };
  };
  return { engines, prepare: async () => start };
}

export const books: KeepMessage['books'] = {
  received: [
    {
      contract: '01920000-0000-7000-8000-000000000001',
      peer: '01920000-0000-7000-8000-000000000002',
      byteCount: 1_048_576,
      createdAt: 1_700_000_000_000,
      counted: 4096,
      reported: 0,
    },
  ],
  own: [],
  waiting: [{ contract: '01920000-0000-7000-8000-000000000003', bytes: 5, isCheckpoint: false }],
  finished: {
    contracts: ['01920000-0000-7000-8000-000000000005'],
    forgottenUpTo: '01910000-0000-7000-8000-000000000006',
  },
  consumers: [
    {
      peer: '01920000-0000-7000-8000-000000000002',
      sequence: '01920000-0000-7000-8000-000000000004',
      lane: '000',
      mode: 3,
      heardAt: 1_700_000_000_000,
      addresses: ['0a000001:64700002'],
    },
  ],
};

export function toKeep(number: number): KeepMessage {
  return {
    type: 'keep',
    number,
    books,
    largestId: '01920000-0000-7000-8000-00000000ffff',
    published: 'public',
  };
}
