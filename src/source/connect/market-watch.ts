import { TributaryError, toFailure } from '../../errors/codes.ts';
import { isClockSet } from '../../lib/clock.ts';
import { minuteMs } from '../../lib/units.ts';
import { createStateFile, type OnSetAside } from '../../system/state-file.ts';
import type { MarketReport } from '../source-report.ts';
import {
  fillGap,
  findMinute,
  type KeptMarket,
  marketDocument,
  moveKept,
  passTime,
  toOurTime,
  writeEveryMs,
} from './kept-market.ts';
import {
  addMinute,
  countsAsValid,
  openMinute,
  seeInMinute,
  startRecord,
  toMinute,
} from './minutes.ts';
import type { SeenMessage, StateMessage } from './protocol.ts';
import { judgeStanding, type StandingFacts } from './standing.ts';

/**
 * Remembers how this device did at the network's list of providers, over all engines and over
 * restarts: `connect-market.json` in the state directory. Opened for a client first; what is taken
 * before that is lost. Where the clock is set, what is remembered moves with it: it was as long ago
 * as before.
 */
export interface MarketWatch {
  /**
   * Goes on with this client's record, or begins one. One that cannot be read is told to
   * `onFailure`, and tried again by the next call: until then nothing is remembered.
   */
  open(clientId: string): Promise<void>;
  /** Takes what an engine said just now. */
  take(message: SeenMessage | StateMessage): void;
  /** undefined before it was opened. */
  report(of: Pick<StandingFacts, 'isConnected' | 'wish'>): MarketReport | undefined;
  /** Writes down what is not written yet. What fails is told to `onFailure`. */
  close(): Promise<void>;
}

export interface MarketWatchParts {
  readonly directory: string;
  readonly onSetAside: OnSetAside;
  readonly now: () => Date;
  /** Ms since the machine started, also of its sleep; it goes on evenly while the clock is set. */
  readonly uptimeMs: () => number;
  /** The record could not be read or written; it is tried again. */
  readonly onFailure: (error: TributaryError) => void;
}

export function createMarketWatch(parts: MarketWatchParts): MarketWatch {
  const { now } = parts;
  const file = createStateFile({ ...parts, name: 'connect-market', schema: marketDocument });
  let kept: KeptMarket | undefined;
  let countedBytes = 0;
  let standing: Pick<MarketReport, 'standing' | 'standingSince'> | undefined;
  let writing: Promise<void> = Promise.resolve();
  /** When the machine started, by the clock (ms): another one each time that the clock is set. */
  let startedMs = now().getTime() - parts.uptimeMs();
  let passedMs = parts.uptimeMs();
  /** By how much a hastened clock is ahead, as this engine has it; undefined until it says so. */
  let toldAheadMs: number | undefined;

  const change = (changed: Partial<KeptMarket>): void => {
    kept = kept && { ...kept, ...changed };
  };
  const followClock = (at: Date): void => {
    const uptimeMs = parts.uptimeMs();
    if (toldAheadMs === undefined) {
      kept = kept && passTime(kept, uptimeMs - passedMs);
      passedMs = uptimeMs;
    }
    const steps = Math.round((at.getTime() - uptimeMs - startedMs) / minuteMs);
    if (steps === 0) return;
    startedMs += steps * minuteMs;
    kept = kept && moveKept(kept, steps);
    standing = standing && {
      ...standing,
      standingSince: new Date(standing.standingSince.getTime() + steps * minuteMs),
    };
  };
  /**
   * What was noted is read a little later, and of a hastened clock that may be minutes. So while
   * an engine says when it was, time goes by that, and not on between two notes.
   */
  const followEngine = (aheadMs: number): void => {
    followClock(now());
    const passed = Math.max(0, aheadMs - (toldAheadMs ?? aheadMs));
    if (kept !== undefined) change({ aheadMs: kept.aheadMs + passed });
    toldAheadMs = Math.max(aheadMs, toldAheadMs ?? aheadMs);
    passedMs = parts.uptimeMs();
  };
  /** What was seen of a minute that is over by now is judged. Gives the present one. */
  const settle = (at: Date): number => {
    followClock(at);
    const minute = kept === undefined ? toMinute(at) : findMinute(kept, at);
    if (kept?.present === undefined || kept.present.minute === minute) return minute;
    const { present } = kept;
    if (countsAsValid(present)) change(addMinute(kept, present.minute));
    change({ present: undefined });
    return minute;
  };
  const write = (how: { readonly isLast: boolean }): void => {
    followClock(now());
    const at = now().getTime();
    // What is on the disk is better than what names no time.
    if (!isClockSet(at)) return;
    change({ writtenAt: at, ...how });
    const written = kept;
    if (written === undefined) return;
    writing = writing
      .then(() => file.write(written))
      .catch(toFailure())
      .then((failure) => {
        if (failure instanceof TributaryError) parts.onFailure(failure);
      });
  };
  const see = ({ sighting, isPublished }: SeenMessage): void => {
    if (sighting.kind === 'noted') followEngine(sighting.aheadMs);
    const at = now();
    const minute = settle(at);
    change({
      present: seeInMinute(kept?.present ?? openMinute(minute), { sighting, isPublished }),
    });
    if (sighting.kind === 'latency-test') change({ latencyTestedAt: at.getTime() });
    if (sighting.kind === 'speed-test') {
      const { bytesPerSecond, isWhole } = sighting;
      change({ speedTest: { at: at.getTime(), bytesPerSecond, isWhole } });
    }
  };

  const learn = ({ isConnected, clockRate, counters }: StateMessage): void => {
    if (!isConnected || clockRate === null) toldAheadMs = undefined;
    settle(now());
    if (clockRate !== null) change({ clockRate });
    const carriedBytes = counters.upBytes + counters.downBytes;
    // Each engine begins at zero.
    if (carriedBytes > 0 && carriedBytes !== countedBytes)
      change({ lastConsumerAt: now().getTime() });
    countedBytes = carriedBytes;
  };

  return {
    async open(clientId) {
      if (kept?.clientId === clientId) return;
      const known = await file.readOrSetAside().catch(toFailure());
      if (known instanceof TributaryError) {
        parts.onFailure(known);
        return;
      }
      const at = now();
      followClock(at);
      kept =
        known?.clientId === clientId
          ? fillGap(known, at)
          : { ...newMarket, clientId, ...startRecord(at), writtenAt: at.getTime() };
      write({ isLast: false });
    },
    take(message) {
      if (message.type === 'seen') see(message);
      else learn(message);
      if (kept !== undefined && now().getTime() - kept.writtenAt >= writeEveryMs)
        write({ isLast: false });
    },
    report(of) {
      const at = now();
      const minute = settle(at);
      if (kept === undefined) return undefined;
      const judged = judgeStanding({ ...of, record: kept, minute });
      if (standing?.standing !== judged.standing)
        standing = { standing: judged.standing, standingSince: at };
      const { speedTest, latencyTestedAt, lastConsumerAt } = kept;
      const { expectedAt } = judged;
      return {
        ...judged,
        ...standing,
        expectedAt: expectedAt && toOurTime(kept, expectedAt, at),
        speedTest: speedTest && { ...speedTest, at: new Date(speedTest.at) },
        latencyTestedAt: toDate(latencyTestedAt),
        lastConsumerAt: toDate(lastConsumerAt),
      };
    },
    async close() {
      settle(now());
      write({ isLast: true });
      await writing;
    },
  };
}

const newMarket = { isLast: true, aheadMs: 0, clockRate: 1 } as const;

function toDate(ms: number | undefined): Date | undefined {
  return ms === undefined ? undefined : new Date(ms);
}
