/**
 * A clock that is off by this much (ms) still counts as right: WireGuard's stamps are whole
 * seconds, and clocks are corrected in small steps.
 */
const slackMs = 3000;

/**
 * The time of the last handshake by the present clock, which may have been set after WireGuard took
 * its stamp. The handshake's age is measured by `uptimeMs`, which goes on during sleep.
 */
export function createHandshakeClock(now: () => Date, uptimeMs: () => number) {
  let latest:
    | { readonly notedAt: number; readonly atMs: number; readonly startedMs: number }
    | undefined;
  let lookedMs: number | undefined;
  return {
    /** Takes WireGuard's stamp, in Unix seconds; undefined before the first handshake. */
    note(notedAt: number | undefined): void {
      const [nowMs, upMs] = [now().getTime(), uptimeMs()];
      if (notedAt === undefined) latest = undefined;
      else if (notedAt !== latest?.notedAt) {
        // The handshake came after the last look, so an earlier stamp is wrong. At the first look,
        // only a stamp in the future is known to be wrong.
        const earliestMs = lookedMs === undefined ? undefined : nowMs - (upMs - lookedMs);
        const isTooEarly = earliestMs !== undefined && notedAt * 1000 < earliestMs - slackMs;
        const isAhead = notedAt * 1000 > nowMs + slackMs;
        const atMs = isTooEarly || isAhead ? (earliestMs ?? nowMs) : notedAt * 1000;
        latest = { notedAt, atMs, startedMs: nowMs - upMs };
      }
      lookedMs = upMs;
    },
    lastHandshakeAt(): Date | undefined {
      if (latest === undefined) return undefined;
      // Setting the clock shifts the computed time at which the machine started. The handshake is
      // shifted with it.
      const setByMs = now().getTime() - uptimeMs() - latest.startedMs;
      return new Date(latest.atMs + (Math.abs(setByMs) > slackMs ? setByMs : 0));
    },
  };
}
