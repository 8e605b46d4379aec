/** When an app pings a provider: one at a time, while little flows. */
export interface AppPings {
  /** Bytes came or went. */
  flowed(bytes: number, now: number): void;
  step(now: number): void;
  wakeAt(): number;
}

export interface AppPingsOptions {
  /**
   * Pings come at this pace whatever flows, and go on after one that got no answer. The app's own
   * are rarer, and end with it.
   */
  readonly steadyMs: number | undefined;
  readonly send: (now: number) => void;
  /** Grows with each ping that is answered. */
  readonly answered: () => number;
}

/** After an answer or a busy look it rests so long, and then until its clock has a whole one. */
const rest = 10_000;
/** A ping without an answer for so long is the last one. */
const longestWait = 30_000;
/** One that goes on waits until the sequence of that ping was given up. */
const longestSteadyWait = 32_000;
/** An app pings where no more than this flowed on average, as far as it remembers. */
const mostBytesPerSecond = 32 * 1024;
/** What it remembers: a bucket for each second in which something flowed, for half a minute. */
const bucketTime = 1000;
const mostRemembered = 30_000;
const mostBuckets = 31;
/** Of the time that it divides by, the newest buckets are not part: they may be going on. */
const newest = 2;

interface Bucket {
  readonly madeAt: number;
  usedAt: number;
  bytes: number;
}

export function createAppPings({ steadyMs, send, answered }: AppPingsOptions): AppPings {
  // Its timers end a moment after the whole ten seconds for which they were set.
  const toNext = (now: number): number =>
    steadyMs === undefined ? (Math.floor(now / rest) + 2) * rest : now + steadyMs;
  /** Infinite where there are no more. */
  let dueAt = Number.POSITIVE_INFINITY;
  let hasBegun = false;
  const patience = steadyMs === undefined ? longestWait : longestSteadyWait;
  let waiting: { readonly sentAt: number; readonly answers: number } | undefined;
  let buckets: Bucket[] = [];

  const isBusy = (now: number): boolean => {
    buckets = buckets.filter(({ usedAt }) => usedAt >= now - mostRemembered);
    const [first] = buckets;
    const last = buckets.at(-1 - newest);
    // After a fast download, that is where all but two seconds of it are forgotten.
    if (steadyMs !== undefined || first === undefined || last === undefined) return false;
    const bytes = buckets.reduce((sum, one) => sum + one.bytes, 0);
    return bytes * 1000 > mostBytesPerSecond * (last.usedAt - first.madeAt);
  };

  return {
    flowed(bytes, now) {
      const last = buckets.at(-1);
      if (last !== undefined && now - last.madeAt <= bucketTime) {
        last.usedAt = now;
        last.bytes += bytes;
      } else buckets = [...buckets, { madeAt: now, usedAt: now, bytes }].slice(-mostBuckets);
      if (!hasBegun) dueAt = toNext(now);
      hasBegun = true;
    },
    step(now) {
      if (waiting !== undefined && answered() > waiting.answers) {
        waiting = undefined;
        dueAt = toNext(now);
      }
      if (waiting !== undefined && now - waiting.sentAt >= patience) {
        waiting = undefined;
        dueAt = steadyMs === undefined ? Number.POSITIVE_INFINITY : now;
      }
      if (now < dueAt || waiting !== undefined) return;
      dueAt = toNext(now);
      if (isBusy(now)) return;
      waiting = { sentAt: now, answers: answered() };
      send(now);
    },
    wakeAt: () => (waiting === undefined ? dueAt : waiting.sentAt + patience),
  };
}
