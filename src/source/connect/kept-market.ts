import * as z from 'zod';
import { minuteMs } from '../../lib/units.ts';
import { minutesOfWeek, moveRecord, toMinute } from './minutes.ts';

/** Ms of a moment, of which a Date can be made; a board without a clock begins in 1970. */
const moment = z.int().min(-8.64e15).max(8.64e15);
const minuteNumber = z.int().min(-1e11).max(1e11);
const whole = z.int().min(0);
const soundSpans = z
  .array(z.object({ from: minuteNumber, to: minuteNumber }).readonly())
  .max(minutesOfWeek)
  .refine((all) => all.every(({ from, to }, at) => from < to && from > (all[at - 1]?.to ?? -1e12)))
  .readonly();
/** What `connect-market.json` has. */
export const marketDocument = z.object({
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
  /** By how many ms the network's clock, by which minutes are counted, was ahead of ours then. */
  aheadMs: z.number().min(0).max(8.64e15).default(0),
  /** How many of its ms pass in one of ours: 1 but by a sandbox. */
  clockRate: z.int().min(1).default(1),
  /** False where the agent went on after it. */
  isLast: z.boolean(),
  speedTest: z
    .object({ at: moment, bytesPerSecond: whole, isWhole: z.boolean() })
    .readonly()
    .optional(),
  latencyTestedAt: moment.optional(),
  lastConsumerAt: moment.optional(),
});
export type KeptMarket = Readonly<z.output<typeof marketDocument>>;

/** SD cards wear out, and a crash costs no more than this of the record (ms). */
export const writeEveryMs = 30 * minuteMs;

/** What is kept as a clock has it that was set by so many minutes. */
export function moveKept(kept: KeptMarket, minutes: number): KeptMarket {
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
export function fillGap(read: KeptMarket, now: Date): KeptMarket {
  // A clock that is behind what was written is wrong, or was: as if no time had passed.
  const behind = Math.ceil((read.writtenAt - now.getTime()) / minuteMs);
  const known = behind > 0 ? moveKept(read, -behind) : read;
  const { spans, writtenAt, isLast } = known;
  const gone = passTime(known, now.getTime() - writtenAt);
  const seen = passTime(known, Math.min(now.getTime() - writtenAt, writeEveryMs));
  const end = findMinute(seen, new Date(Math.min(now.getTime(), writtenAt + writeEveryMs)));
  const last = spans.at(-1);
  const wasConnected = last !== undefined && last.to >= findMinute(known, new Date(writtenAt)) - 1;
  if (isLast || !wasConnected || end <= last.to) return gone;
  const filled = [...spans.slice(0, -1), { from: last.from, to: end }];
  return { ...gone, spans: filled, present: undefined };
}

/** After so many ms of ours, the network's clock is further ahead where it is hastened. */
export function passTime(kept: KeptMarket, passedMs: number): KeptMarket {
  const { aheadMs, clockRate } = kept;
  if (clockRate === 1) return kept;
  return { ...kept, aheadMs: aheadMs + (clockRate - 1) * Math.max(0, passedMs) };
}

/** The minute of the network's clock at a time of ours. */
export function findMinute({ aheadMs }: KeptMarket, at: Date): number {
  return toMinute(new Date(at.getTime() + aheadMs));
}

/** When ours shows what the network's clock will, if that goes on as it does. */
export function toOurTime({ aheadMs, clockRate }: KeptMarket, there: Date, at: Date): Date {
  const left = there.getTime() - at.getTime() - aheadMs;
  return new Date(at.getTime() + left / clockRate);
}
