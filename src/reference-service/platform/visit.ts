import { fromUuid, type Id } from '../../connect/wire/id.ts';
import { firstSyncAfter, type SocketSync, syncEvery } from './blocks.ts';
import type { Caller } from './issue-contract.ts';
import { createLineTest, type LineResult, type LineTime } from './line-test.ts';
import { createPings } from './pings.ts';
import type { Line, Resident } from './residents.ts';

/**
 * One open socket: it is pinged, measured, and noted in the blocks of its client. `heard` is told
 * each message of the client; `step` sends what is due, and is called a few times a second.
 */
export interface Visit {
  readonly caller: Caller;
  readonly ownId: Id;
  readonly line: Line;
  readonly resident: Resident;
  heard(message: Buffer): void;
  step(): void;
  /** Frames that were sent to the client show a fast line. */
  noteSent(bytes: number): void;
  /** True once it counts as a connection. */
  isDueToAnnounce(): boolean;
  /**
   * What is to be noted in its client's blocks: once at most, but where the clock is hastened as
   * often as was due since the last call.
   */
  takeSyncs(): readonly SocketSync[];
  measured(): LineResult;
}

export interface VisitOptions {
  readonly caller: Caller;
  readonly line: Line;
  readonly resident: Resident;
  readonly clocks: () => LineTime;
  /** How many of the platform's ms pass in one of ours. */
  readonly rate: () => number;
  readonly isFirst: boolean;
  readonly randomBytes: (length: number) => Buffer;
}

/** A socket counts as a connection after so long, by the platform's clock. */
const announceAfter = 5000;
/** In our own ms: clients ping more often, so one that is there has said something in it. */
const longestQuiet = 10_000;

export function createVisit(options: VisitOptions): Visit {
  const { caller, line, resident, clocks } = options;
  const opened = clocks();
  const pings = createPings(opened.now);
  const test = createLineTest({ ...options, openedAt: opened });
  let messages = 0;
  let heardAt = opened.now;
  let isSynced = false;
  let syncAt = opened.platformNow + firstSyncAfter;
  let lookedAt = opened;

  const send = (bytes: readonly Buffer[]): void => {
    for (const message of bytes) line.send(message);
  };

  return {
    caller,
    ownId: fromUuid(caller.clientId),
    line,
    resident,
    heard(message) {
      const at = clocks();
      messages++;
      heardAt = at.now;
      pings.heard(message, at.now);
      if (message.length === 0) return;
      test.heard(message, at);
      if (message.length <= longestSpecial) send(test.step(at));
    },
    step() {
      const at = clocks();
      const due = pings.step(at.now);
      if (due === 'end') line.end();
      if (due === 'ping') line.send(Buffer.alloc(0));
      send(test.step(at));
    },
    noteSent: (bytes) => test.noteSent(bytes, clocks()),
    isDueToAnnounce: () => clocks().platformNow - opened.platformNow >= announceAfter,
    takeSyncs() {
      const at = clocks();
      const { now, platformNow } = at;
      // Also where it was hastened until a moment ago: that moment may have been many minutes.
      const passed = now - lookedAt.now;
      const isHastened = options.rate() > 1 || platformNow - lookedAt.platformNow > 2 * passed;
      lookedAt = at;
      const syncs: SocketSync[] = [];
      while (syncAt <= platformNow) {
        // Where the clock is hastened, a block may be over before the client's next ping, and
        // before we look again. Just after that, less than usual has passed since the last note.
        const isThere = now - heardAt <= (isHastened ? longestQuiet : syncEvery);
        const heard = Math.max(messages, Number(isThere));
        const atMs = isHastened ? syncAt : platformNow;
        syncs.push({ clientId: caller.clientId, isNew: !isSynced, messages: heard, atMs });
        isSynced = true;
        messages = 0;
        syncAt = atMs + syncEvery;
      }
      return syncs;
    },
    measured: test.result,
  };
}

/** Shorter messages are pings and tests of the line, and no frames. */
export const longestSpecial = 16;
