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

const rest = 10_000;
const longestWait = 30_000;
const mostBytesPerMs = 32 * 1.024;

export function createAppPings({ steadyMs, send, answered }: AppPingsOptions): AppPings {
  const pause = steadyMs ?? rest;
  /** Not a number where there are no more. */
  let dueAt = Number.POSITIVE_INFINITY;
  let waiting: { readonly sentAt: number; readonly answers: number } | undefined;
  let recent = { since: 0, bytes: 0 };
  let before = 0;

  const turn = (now: number): void => {
    if (now - recent.since < rest) return;
    before = now - recent.since < 2 * rest ? recent.bytes : 0;
    recent = { since: now, bytes: 0 };
  };
  const isBusy = (): boolean =>
    steadyMs === undefined && recent.bytes + before > mostBytesPerMs * rest;

  return {
    flowed(bytes, now) {
      turn(now);
      recent.bytes += bytes;
      if (dueAt === Number.POSITIVE_INFINITY) dueAt = now + pause;
    },
    step(now) {
      if (waiting !== undefined && answered() > waiting.answers) {
        waiting = undefined;
        dueAt = now + pause;
      }
      if (waiting !== undefined && now - waiting.sentAt >= longestWait + 2000) {
        waiting = undefined;
        dueAt = steadyMs === undefined ? Number.NaN : now;
      }
      if (!(now >= dueAt) || waiting !== undefined) return;
      turn(now);
      dueAt = now + pause;
      if (isBusy()) return;
      waiting = { sentAt: now, answers: answered() };
      send(now);
    },
    wakeAt() {
      if (waiting !== undefined) return waiting.sentAt + longestWait + 2000;
      return Number.isNaN(dueAt) ? Number.POSITIVE_INFINITY : dueAt;
    },
  };
}
