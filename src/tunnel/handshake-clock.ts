/**
 * When the last handshake was, by the clock as it is now. WireGuard notes it by the clock as it was then, and that of a
 * board that boots with a wrong time is set meanwhile: what has passed since is counted by a clock that nobody sets.
 */
export interface HandshakeClock {
  /** Takes what WireGuard noted, in Unix seconds; undefined before the first handshake. */
  note(notedAt: number | undefined): void;
  lastHandshakeAt(): Date | undefined;
}

/** What a clock may be off by and still be taken for right: WireGuard tells whole seconds, and clocks are corrected. */
const slackMs = 3000;

/** @param uptimeMs a clock that only ever goes on, in ms, also while the machine sleeps */
export function createHandshakeClock(now: () => Date, uptimeMs: () => number): HandshakeClock {
  let latest: { readonly notedAt: number; readonly atMs: number; readonly startedMs: number } | undefined;
  let lookedMs: number | undefined;
  return {
    note(notedAt) {
      const [nowMs, upMs] = [now().getTime(), uptimeMs()];
      if (notedAt === undefined) latest = undefined;
      else if (notedAt !== latest?.notedAt) {
        // It came after the last look; at the first one, only what lies ahead is not believed.
        const earliestMs = lookedMs === undefined ? undefined : nowMs - (upMs - lookedMs);
        const isTooEarly = earliestMs !== undefined && notedAt * 1000 < earliestMs - slackMs;
        const isAhead = notedAt * 1000 > nowMs + slackMs;
        const atMs = isTooEarly || isAhead ? (earliestMs ?? nowMs) : notedAt * 1000;
        latest = { notedAt, atMs, startedMs: nowMs - upMs };
      }
      lookedMs = upMs;
    },
    lastHandshakeAt() {
      if (latest === undefined) return undefined;
      // A clock that was set moves the time at which the machine started.
      const setByMs = now().getTime() - uptimeMs() - latest.startedMs;
      return new Date(latest.atMs + (Math.abs(setByMs) > slackMs ? setByMs : 0));
    },
  };
}
