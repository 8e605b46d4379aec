import * as z from 'zod';
import { TributaryError, toFailure } from '../../errors/codes.ts';
import { isClockSet } from '../../lib/clock.ts';
import { minuteMs } from '../../lib/units.ts';
import { createStateFile, type OnSetAside } from '../../system/state-file.ts';
import type { MarketReport } from '../source-report.ts';
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
 * before that is lost.
 */
export interface MarketWatch {
  /**
   * Goes on with this client's record, or begins one.
   * @throws state-unreadable, state-unwritable
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
  /** The record could not be written; it is tried again. */
  readonly onFailure: (error: TributaryError) => void;
}

const whole = z.number();
const document = z.object({
  /** Whose it is: another client begins its own. */
  clientId: z.string(),
  since: whole,
  spans: z.array(z.object({ from: whole, to: whole }).readonly()).readonly(),
  /** What was seen of the minute that was not over yet. */
  present: z
    .object({ minute: whole, notes: whole, connections: whole, changes: whole })
    .readonly()
    .optional(),
  /** Unix ms of the writing. */
  writtenAt: whole,
  /** False where the agent went on after it. */
  isLast: z.boolean(),
  speedTest: z
    .object({ at: whole, bytesPerSecond: z.number(), isWhole: z.boolean() })
    .readonly()
    .optional(),
  latencyTestedAt: whole.optional(),
  lastConsumerAt: whole.optional(),
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

  const change = (changed: Partial<Kept>): void => {
    kept = kept && { ...kept, ...changed };
  };
  /** What was seen of a minute that is over by now is judged. Gives the present one. */
  const settle = (at: Date): number => {
    const minute = toMinute(at);
    if (kept === undefined) return minute;
    const { since, present } = kept;
    // A board without a clock begins in 1970, and learns later what time it is.
    if (!isClockSet(since * minuteMs)) change({ ...startRecord(at), present: undefined });
    else if (present !== undefined && present.minute !== minute) {
      if (countsAsValid(present)) change(addMinute(kept, present.minute));
      change({ present: undefined });
    }
    return minute;
  };
  const write = (how: { readonly isLast: boolean }): void => {
    change({ writtenAt: now().getTime(), ...how });
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
      const known = await file.readOrSetAside();
      const at = now();
      kept =
        known?.clientId === clientId
          ? fillGap(known, at)
          : { clientId, ...startRecord(at), writtenAt: at.getTime(), isLast: true };
      write({ isLast: false });
    },
    take(message) {
      if (message.type === 'seen') see(message);
      else {
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

/**
 * After a crash the minutes since the last writing are unknown. As the device was connected then,
 * it most likely was until the crash, which came before the next writing.
 */
function fillGap(known: Kept, now: Date): Kept {
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
