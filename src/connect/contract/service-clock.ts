import { type Id, toMadeAt } from '../wire/id.ts';

/**
 * When the service created a contract, by our clock. Its id says when by the service's clock, and
 * ours may be years off (a small computer without a battery). The contract that reached us soonest
 * after it was made shows how far the clocks are apart.
 */
export interface ServiceClock {
  /**
   * The time by which contracts age, in ms: `now`, as long as nobody says that the service's clock
   * is hastened.
   */
  time(now: number): number;
  /** The time of creation, by `time`, and never later than that is now. */
  createdAt(contractId: Id, now: number): number;
  /** From now on so many of the service's ms pass in one of ours, as in a sandbox. */
  hasten(rate: number, now: number): void;
}

/** Contracts are signed by the service, but an estimate that is off must not make one ancient. */
const oldestBelieved = 48 * 60 * 60 * 1000;

export function createServiceClock(): ServiceClock {
  let ahead = Number.POSITIVE_INFINITY;
  let rate = 1;
  /** A moment of our clock, and the time then. */
  let [since, timeThen] = [0, 0];
  const time = (now: number): number => timeThen + (now - since) * rate;
  return {
    time,
    createdAt(contractId, now) {
      const madeAt = toMadeAt(contractId);
      ahead = Math.min(ahead, time(now) - madeAt);
      return Math.max(time(now) - oldestBelieved, madeAt + ahead);
    },
    hasten(next, now) {
      [since, timeThen, rate] = [now, time(now), next];
    },
  };
}
