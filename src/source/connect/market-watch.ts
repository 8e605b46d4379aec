import * as z from 'zod';
import { TributaryError, toFailure } from '../../errors/codes.ts';
import { isClockSet } from '../../lib/clock.ts';
import { minuteMs } from '../../lib/units.ts';
import { createStateFile, type OnSetAside } from '../../system/state-file.ts';
import type { MarketReport } from '../source-report.ts';
import {
  addMinute,
  countsAsValid,
  minutesOfWeek,
  moveRecord,
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

/** Ms of a moment, of which a Date can be made; a board without a clock begins in 1970. */
const moment = z.int().min(-8.64e15).max(8.64e15);
const minuteNumber = z.int().min(-1e11).max(1e11);
const whole = z.int().min(0);
const soundSpans = z
  .array(z.object({ from: minuteNumber, to: minuteNumber }).readonly())
  .max(minutesOfWeek)
  .refine((all) => all.every(({ from, to }, at) => from < to && from > (all[at - 1]?.to ?? -1e12)))
  .readonly();
const document = z.object({
  /** Whose it is: another client begins its own. */
  clientId: z.string(),
  since: minuteNumber,
  spans: soundSpans,
  /** What was seen of the minute that was not over yet. */
  present: z
    .object({ minute: minuteNumber, notes: whole, connections: whole, changes: whole })
    .readonly()
    .optional(),
  /** Unix ms of the writing. */
  writtenAt: moment,
  /** False where the agent went on after it. */
  isLast: z.boolean(),
  speedTest: z
    .object({ at: moment, bytesPerSecond: whole, isWhole: z.boolean() })
    .readonly()
    .optional(),
  latencyTestedAt: moment.optional(),
  lastConsumerAt: moment.optional(),
});
type Kept = Readonly<z.output<typeof document>>;

/** SD cards wear out, and a crash costs no more than this of the record (ms). */
const writeEveryMs = 30 * minuteMs;

export function createMarketWatch(parts: MarketWatchParts): MarketWatch {
  const { now } = parts;
  const file = createStateFile({ ...parts, name: 'connect-market', schema: document });
  let kept: Kept | undefined;
  let countedBytes = 0;
  let standing: Pick<MarketReport, 'standing' | 'standingSince'> | undefined;
  let writing: Promise<void> = Promise.resolve();
  /** When the machine started, by the clock (ms): another one each time that the clock is set. */
  let startedMs = now().getTime() - parts.uptimeMs();

  const change = (changed: Partial<Kept>): void => {
    kept = kept && { ...kept, ...changed };
  };
  const followClock = (at: Date): void => {
    const steps = Math.round((at.getTime() - parts.uptimeMs() - startedMs) / minuteMs);
    if (steps === 0) return;
    startedMs += steps * minuteMs;
    kept = kept && moveKept(kept, steps);
    standing = standing && {
      ...standing,
      standingSince: new Date(standing.standingSince.getTime() + steps * minuteMs),
    };
  };
  /** What was seen of a minute that is over by now is judged. Gives the present one. */
  const settle = (at: Date): number => {
    followClock(at);
    const minute = toMinute(at);
    if (kept?.present === undefined || kept.present.minute === minute) return minute;
    const { present } = kept;
    if (countsAsValid(present)) change(addMinute(kept, present.minute));
    change({ present: undefined });
    return minute;
  };
  const write = (how: { readonly isLast: boolean }): void => {
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
          : { clientId, ...startRecord(at), writtenAt: at.getTime(), isLast: true };
      write({ isLast: false });
    },
    take(message) {
      if (message.type === 'seen') see(message);
      else {
        followClock(now());
        const { upBytes, downBytes } = message.counters;
        // Each engine begins at zero.
        if (upBytes + downBytes > 0 && upBytes + downBytes !== countedBytes)
          change({ lastConsumerAt: now().getTime() });
        countedBytes = upBytes + downBytes;
      }
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
      return {
        ...judged,
        ...standing,
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

function moveKept(kept: Kept, minutes: number): Kept {
  const move = (ms: number): number => ms + minutes * minuteMs;
  const { present, writtenAt, speedTest, latencyTestedAt, lastConsumerAt } = kept;
  return {
    ...moveRecord(kept, minutes),
    present: present && { ...present, minute: present.minute + minutes },
    writtenAt: move(writtenAt),
    speedTest: speedTest && { ...speedTest, at: move(speedTest.at) },
    latencyTestedAt: latencyTestedAt === undefined ? undefined : move(latencyTestedAt),
    lastConsumerAt: lastConsumerAt === undefined ? undefined : move(lastConsumerAt),
  };
}

/**
 * After a crash the minutes since the last writing are unknown. As the device was connected then,
 * it most likely was until the crash, which came before the next writing.
 */
function fillGap(read: Kept, now: Date): Kept {
  // A clock that is behind what was written is wrong, or was: as if no time had passed.
  const ahead = Math.ceil((read.writtenAt - now.getTime()) / minuteMs);
  const known = ahead > 0 ? moveKept(read, -ahead) : read;
  const { spans, writtenAt, isLast } = known;
  const end = toMinute(new Date(Math.min(now.getTime(), writtenAt + writeEveryMs)));
  const last = spans.at(-1);
  const wasConnected = last !== undefined && last.to >= toMinute(new Date(writtenAt)) - 1;
  if (isLast || !wasConnected || end <= last.to) return known;
  const filled = [...spans.slice(0, -1), { from: last.from, to: end }];
  return { ...known, spans: filled, present: undefined };
}

function toDate(ms: number | undefined): Date | undefined {
  return ms === undefined ? undefined : new Date(ms);
}
