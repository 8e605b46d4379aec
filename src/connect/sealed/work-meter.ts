/**
 * How long pieces of work take in sum, by the clock: one in so many is timed and stands for all of
 * them, because to look at the clock twice costs a tenth of what is timed here. It is the last of
 * so many: the first one, before its code was ever run, takes a hundred times as long.
 */
export interface WorkMeter {
  measure<Result>(work: () => Result): Result;
  /** Of all of them until now, in ms. */
  sumMs(): number;
}

export const timedOneIn = 64;

export function createWorkMeter(clock: () => number = () => performance.now()): WorkMeter {
  let count = 0;
  let sum = 0;
  return {
    measure(work) {
      if (++count % timedOneIn !== 0) return work();
      const before = clock();
      const result = work();
      sum += clock() - before;
      return result;
    },
    sumMs: () => sum * timedOneIn,
  };
}
