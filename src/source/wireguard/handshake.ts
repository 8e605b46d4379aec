/** What is known of the tunnel's last handshake. */
export interface HandshakeFacts {
  readonly lastHandshakeAt: Date | undefined;
  readonly persistentKeepaliveSeconds: number | undefined;
}

/** WireGuard drops a session after so long without a new handshake. */
const sessionSeconds = 180;
/**
 * The interval where the issued text names none. Where WireGuard sends no keepalive of its own,
 * other packets keep a tunnel in use as often.
 */
const usualKeepaliveSeconds = 25;

/**
 * Until when the other end counts as there: a session lasts 180 s, and a silent tunnel speaks once
 * in a keepalive interval. undefined: there was no handshake. This is the one rule of freshness.
 */
export function findFreshUntil({
  lastHandshakeAt,
  persistentKeepaliveSeconds = usualKeepaliveSeconds,
}: HandshakeFacts): Date | undefined {
  if (lastHandshakeAt === undefined) return undefined;
  const freshMs = (sessionSeconds + persistentKeepaliveSeconds) * 1000;
  return new Date(lastHandshakeAt.getTime() + freshMs);
}

/** True until then; a handshake that seems to lie ahead is fresh. */
export function hasFreshHandshake(tunnel: HandshakeFacts, now: Date): boolean {
  const until = findFreshUntil(tunnel);
  return until !== undefined && now <= until;
}

/**
 * True where WireGuard's own tries failed: it begins the next handshake after 120 s and tries every
 * 5 s, so three tries had no answer.
 */
export function isHandshakeOverdue(tunnel: HandshakeFacts, now: Date): boolean {
  return countQuietSeconds(tunnel, now) > 135;
}

/**
 * Seconds since the last handshake, without the keepalive interval in which nothing has to be sent.
 */
function countQuietSeconds(
  { lastHandshakeAt, persistentKeepaliveSeconds = usualKeepaliveSeconds }: HandshakeFacts,
  now: Date,
): number {
  if (lastHandshakeAt === undefined) return Number.POSITIVE_INFINITY;
  return (now.getTime() - lastHandshakeAt.getTime()) / 1000 - persistentKeepaliveSeconds;
}

/**
 * Firewalls, this device's own included, forget a silent connection after two minutes, and then the
 * other end is shut out.
 */
const mostKeepaliveSeconds = 60;

/**
 * WireGuard's PersistentKeepalive, 1 to 60 whole seconds: the value in the text, otherwise 25;
 * never more than the interval in which the device asks the service again.
 */
export function choosePersistentKeepaliveSeconds(
  textSeconds: number | undefined,
  renewSeconds: number,
): number {
  const isUsable = textSeconds !== undefined && Number.isFinite(textSeconds) && textSeconds > 0;
  const desired = isUsable ? Math.ceil(textSeconds) : usualKeepaliveSeconds;
  return Math.max(1, Math.min(desired, mostKeepaliveSeconds, Math.floor(renewSeconds)));
}

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
