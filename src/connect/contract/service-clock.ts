import { type Id, toMadeAt } from '../wire/id.ts';
import { createHastenedClock, type HastenedClock } from './hastened-clock.ts';

/**
 * When the service created a contract, by our clock. Its id says when by the service's clock, and
 * ours may be years off (a small computer without a battery). The contract that reached us soonest
 * after it was made shows how far the clocks are apart.
 */
export interface ServiceClock extends Pick<HastenedClock, 'time' | 'hasten'> {
  /** The time of creation, by `time`, and never later than that is now. */
  createdAt(contractId: Id, now: number): number;
}

/** Contracts are signed by the service, but an estimate that is off must not make one ancient. */
const oldestBelieved = 48 * 60 * 60 * 1000;

export function createServiceClock(): ServiceClock {
  let ahead = Number.POSITIVE_INFINITY;
  const { time, hasten } = createHastenedClock();
  return {
    time,
    createdAt(contractId, now) {
      const madeAt = toMadeAt(contractId);
      ahead = Math.min(ahead, time(now) - madeAt);
      return Math.max(time(now) - oldestBelieved, madeAt + ahead);
    },
    hasten,
  };
}
