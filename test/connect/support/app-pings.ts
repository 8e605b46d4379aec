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
const longestWait = 30_000;
/**
 * An app pings where no more than this flowed, on average over what is left of the last half
 * minute: after a fast download it waits until all of that is over.
 */
const mostBytesPerSecond = 32 * 1024;
const busyTime = 30_000;

export function createAppPings({ steadyMs, send, answered }: AppPingsOptions): AppPings {
  const toNext = (now: number): number =>
    steadyMs === undefined ? Math.ceil((now + rest) / rest) * rest : now + steadyMs;
  /** Not a number where there are no more. */
  let dueAt = Number.POSITIVE_INFINITY;
  let waiting: { readonly sentAt: number; readonly answers: number } | undefined;
  /** What flowed, by the second. */
  let flowed: { readonly second: number; bytes: number }[] = [];

  const isBusy = (now: number): boolean => {
    flowed = flowed.filter(({ second }) => second * 1000 > now - busyTime);
    const bytes = flowed.reduce((sum, one) => sum + one.bytes, 0);
    const seconds = (flowed.at(-1)?.second ?? 0) - (flowed[0]?.second ?? 0) + 1;
    return steadyMs === undefined && bytes > mostBytesPerSecond * seconds;
  };

  return {
    flowed(bytes, now) {
      const second = Math.floor(now / 1000);
      if (flowed.at(-1)?.second !== second) flowed.push({ second, bytes: 0 });
      (flowed.at(-1) as { bytes: number }).bytes += bytes;
      if (dueAt === Number.POSITIVE_INFINITY) dueAt = toNext(now);
    },
    step(now) {
      if (waiting !== undefined && answered() > waiting.answers) {
        waiting = undefined;
        dueAt = toNext(now);
      }
      if (waiting !== undefined && now - waiting.sentAt >= longestWait + 2000) {
        waiting = undefined;
        dueAt = steadyMs === undefined ? Number.NaN : now;
      }
      if (!(now >= dueAt) || waiting !== undefined) return;
      dueAt = toNext(now);
      if (isBusy(now)) return;
      waiting = { sentAt: now, answers: answered() };
      send(now);
    },
    wakeAt() {
      if (waiting !== undefined) return waiting.sentAt + longestWait + 2000;
      return Number.isNaN(dueAt) ? Number.POSITIVE_INFINITY : dueAt;
    },
  };
}
