import { minuteMs } from '../../lib/units.ts';
import type { MarketReport, MinuteCount, MinuteWindow } from '../source-report.ts';
import { countMinutes, type MinuteRecord, minutesOfWeek } from './minutes.ts';
import type { ProvideWish } from './protocol.ts';

/** How long the windows are, in minutes, and how many have to count before consumers are sent. */
const windows = {
  hour: { all: 60, wanted: 57 },
  halfDay: { all: 12 * 60, wanted: 504 },
  week: { all: minutesOfWeek, wanted: undefined },
} as const satisfies Record<MinuteWindow, Pick<MinuteCount, 'all' | 'wanted'>>;
const judged = [windows.hour, windows.halfDay];

/** Of the minutes that may be lost, this share is lost before the owner is told. */
const riskyShare = 2 / 3;

export interface StandingFacts {
  readonly record: MinuteRecord;
  /** The present minute, which is not over yet. */
  readonly minute: number;
  readonly isConnected: boolean;
  readonly wish: ProvideWish;
}

/** Pure. How the network judges this device, as far as its minutes tell. */
export function judgeStanding({ record, minute, isConnected, wish }: StandingFacts): Judgement {
  const count = (window: MinuteWindow): MinuteCount => {
    const length = windows[window];
    return { ...length, ...countMinutes(record, { window: length.all, end: minute }) };
  };
  const minutes = { hour: count('hour'), halfDay: count('halfDay'), week: count('week') };
  const judge = (): MarketReport['standing'] => {
    if (wish === 'none') return 'nobody';
    if (wish !== 'public') return 'own-network';
    if (!isConnected) return 'offline';
    const lost = [minutes.hour, minutes.halfDay].map(({ valid, known, all, wanted = 0 }) => ({
      share: (known - valid) / (all - wanted),
      isEnough: valid >= wanted,
    }));
    if (lost.every(({ isEnough }) => isEnough))
      return lost.some(({ share }) => share > riskyShare) ? 'at-risk' : 'listed';
    return lost.some(({ share }) => share > 1) ? 'dropped' : 'waiting';
  };
  const standing = judge();
  const isWaiting = standing === 'waiting' || standing === 'dropped';
  return { standing, minutes, expectedAt: isWaiting ? expectListing(record, minute) : undefined };
}

type Judgement = Pick<MarketReport, 'standing' | 'minutes' | 'expectedAt'>;

/** When enough minutes count, if each one does from now on. */
function expectListing(record: MinuteRecord, now: number): Date {
  const isEnoughAt = (minute: number): boolean =>
    judged.every(({ all, wanted }) => {
      const toCome = Math.min(all, minute - now);
      const behind = countMinutes(record, { window: all - toCome, end: now });
      return behind.valid + toCome >= wanted;
    });
  // Later is never worse, so the first minute is found by halves: a record may have thousands of
  // spans, and this is asked for often.
  let tooSoon = now - 1;
  let soonEnough = now + windows.halfDay.all;
  while (soonEnough - tooSoon > 1) {
    const between = Math.floor((tooSoon + soonEnough) / 2);
    if (isEnoughAt(between)) soonEnough = between;
    else tooSoon = between;
  }
  return new Date(soonEnough * minuteMs);
}
