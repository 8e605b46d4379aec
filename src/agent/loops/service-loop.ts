import { toKeepaliveSeconds } from '../../identity/keepalive.ts';
import type { Registration } from '../../identity/registration-files.ts';
import { toBackoffMs } from '../../lib/backoff.ts';
import { hasCode, isAbort } from '../../lib/errors.ts';
import type { Secret } from '../../lib/secret.ts';
import type { Board } from '../state.ts';

/** The conversation with the service, one attempt each; the waiting is this loop's. */
export interface ServiceSession {
  /** The network JWT: stored, given, or bought with the auth code. @throws signed-out, auth-code-refused, codes of `call` */
  readonly signIn: (signal: AbortSignal) => Promise<Secret>;
  /** Load, recover or create. @throws codes of `ensureRegistration` */
  readonly register: (token: Secret, signal: AbortSignal) => Promise<Registration>;
  /** The keep-alive. @throws codes of `renewRegistration` */
  readonly renew: (token: Secret, registration: Registration, signal: AbortSignal) => Promise<Registration>;
  /** True where a second operation says too that the token is refused; the token is dropped then. */
  readonly confirmSignedOut: (token: Secret, signal: AbortSignal) => Promise<boolean>;
}

export interface ServiceLoopParts {
  readonly board: Board;
  readonly session: ServiceSession;
  readonly onToken: (token: Secret | undefined) => void;
  readonly now: () => Date;
  readonly random: () => number;
}

/** A fresh start asks soon again; an outage of days is asked about every few minutes, never in step with others. */
const backoff = { baseMs: 2_000, maxMs: 300_000 };
/** Somebody has to do something first; `tributary login` rings the loop. */
const ownersTurnMs = 30_000;
/** The limit is a matter of hours, not of seconds. */
const limitMs = 900_000;

/** One round signs in, registers or renews, and says in how many ms the next is due. */
export function createServiceRound(parts: ServiceLoopParts): (signal: AbortSignal) => Promise<number> {
  let failures = 0;
  let isRegistered = false;
  return async (signal) => {
    const { board } = parts;
    try {
      await talk(parts, isRegistered ? board.registration : undefined, signal);
      isRegistered = true;
      failures = 0;
      board.setProblem('state', undefined);
      board.setProblem('service', undefined);
      board.setProblem('registration', undefined);
      board.setProblem('signIn', undefined);
      const waitMs = (board.keepaliveSeconds ?? 60) * 1000;
      board.nextKeepaliveAt = new Date(parts.now().getTime() + waitMs);
      return waitMs;
    } catch (error) {
      if (isAbort(error) && signal.aborted) throw error;
      failures += 1;
      noteFailure(board, error);
      // Signed out closes the gateway, now and not with its next pass.
      if (board.problem('signIn') !== undefined) board.wakes.dataPath.notify();
      const waitMs = toWaitMs(error, failures, parts.random);
      board.nextKeepaliveAt = new Date(parts.now().getTime() + waitMs);
      return waitMs;
    }
  };
}

/** `before` undefined: nothing was loaded, recovered or created since the start. */
async function talk(
  { board, session, onToken }: ServiceLoopParts,
  before: Registration | undefined,
  signal: AbortSignal,
): Promise<void> {
  const token = await session.signIn(signal);
  board.setProblem('signIn', undefined);
  onToken(token);
  try {
    const registration =
      before === undefined ? await session.register(token, signal) : await session.renew(token, before, signal);
    // The mode may have been confirmed while this was under way.
    board.registration = { ...registration, confirmedMode: board.confirmedMode ?? registration.confirmedMode };
    board.keepaliveSeconds = toKeepaliveSeconds(
      registration.keepaliveSeconds,
      board.config.tunnel.keepalive_seconds_default,
    );
  } catch (error) {
    if (hasCode(error, 'not-authorized') && (await session.confirmSignedOut(token, signal))) {
      onToken(undefined);
      board.setProblem('signIn', error);
    }
    throw error;
  }
  board.wakes.dataPath.notify();
  board.wakes.announce.notify();
}

/** Problems of the way there are the service's; what somebody has to mend is the sign-in's or the registration's. */
function noteFailure(board: Board, error: unknown): void {
  if (hasCode(error, 'signed-out', 'auth-code-refused')) board.setProblem('signIn', error);
  else if (hasCode(error, 'state-unwritable', 'state-unreadable')) board.setProblem('state', error);
  else if (hasCode(error, 'client-limit-exceeded', 'registration-incomplete', 'service-refused')) {
    board.setProblem('registration', error);
  } else board.setProblem('service', error);
}

function toWaitMs(error: unknown, failures: number, random: () => number): number {
  if (hasCode(error, 'client-limit-exceeded')) return limitMs * (0.5 + random() / 2);
  if (hasCode(error, 'signed-out', 'auth-code-refused')) return ownersTurnMs;
  const jitteredMs = toBackoffMs(failures, backoff, random);
  const askedMs = hasCode(error, 'rate-limited', 'service-failed') ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
  // Never at once: a service that fails quickly would be asked in a hot loop by a small random number.
  return Math.max(jitteredMs, askedMs, 500);
}
