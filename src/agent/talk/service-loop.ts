import { hasCode, isAbort, messageOf, TributaryError, toFailure } from '../../errors/codes.ts';
import { continueProblem } from '../../health/problem.ts';
import type { Registration } from '../../identity/registration-files.ts';
import { chooseRenewSeconds, chooseRetryMs, spreadRenewMs } from '../../identity/renew.ts';
import { computeBackoffMs } from '../../lib/backoff.ts';
import { isSame, type Secret } from '../../lib/secret.ts';
import type { Loop } from '../run-loop.ts';
import type { AgentState, Sections, Shared } from '../state.ts';
import type { ServiceSession } from './service-session.ts';

export interface ServiceLoopParts
  extends Pick<Shared, 'wakeups' | 'now' | 'random'>,
    Pick<Sections, 'service'> {
  readonly state: Pick<AgentState, 'configuration'>;
  readonly session: ServiceSession;
}

/**
 * A new fence drops answers to questions that were asked before it. So the service is asked after
 * the first pass, which wakes this loop, or after this time (ms).
 */
const firstPassMs = 10_000;
/** Only the owner can go on, by `tributary login`, which wakes the loop (ms). */
const ownersTurnMs = 30_000;
/** A limit of the service lasts hours, not seconds, so the next try waits this long (ms). */
const limitMs = 900_000;
/**
 * A refused token is tried again after 5 to 15 minutes (ms). Meanwhile the tunnel needs nothing of
 * the service.
 */
const refusedMs = 300_000;

/** The conversation with the service: signs in, registers once, then renews on the interval. */
export interface ServiceLoop extends Loop {
  /**
   * Takes up what an earlier run kept, before the first tick. A file that cannot be read becomes a
   * problem in the state; nothing is thrown for it.
   */
  restore(): Promise<void>;
  /**
   * Signs in, then registers or renews once. Resolves with the ms until the next is due. Failures
   * become problems in the state.
   * @throws AbortError
   */
  tick(signal: AbortSignal): Promise<number>;
}

export function createServiceLoop(parts: ServiceLoopParts): ServiceLoop {
  const { service, session, wakeups, random, now } = parts;
  let failures = 0;
  /** False until this process has loaded, recovered or made the registration with the service. */
  let isRegistered = false;
  /** Resolves with the time until the next renewal (ms). */
  const talk = async (signal: AbortSignal): Promise<number> => {
    const { networkJwt, diskFailure } = await signIn(parts, signal);
    const known = isRegistered ? service.registration : undefined;
    const isOtherTunnel = takeRegistration(
      parts,
      await registerOrRenew(parts, { networkJwt, known }, signal),
    );
    // A renewal that changed nothing needs no pass.
    if (isOtherTunnel || known === undefined || failures > 0) wakeups.dataPath.notify();
    wakeups.announce.notify();
    service.refusedSinceMs = undefined;
    for (const topic of topics) service[topic] = undefined;
    service.stateProblem = continueProblem(service.stateProblem, diskFailure, now());
    failures = 0;
    const isFirst = !isRegistered;
    isRegistered = true;
    // The first renewal is anywhere in the interval, because many devices may have started
    // together.
    return spreadRenewMs(service.renewSeconds, random) * (isFirst ? random() : 1);
  };
  const noteFailure = (error: unknown): number => {
    failures += 1;
    const topic = chooseTopic(error);
    service[topic] = continueProblem(service[topic], error, now());
    // Being signed out closes the gateway at once, and not only with the next pass.
    if (service.signInProblem !== undefined) wakeups.dataPath.notify();
    return chooseWaitMs(error, failures, parts);
  };
  return {
    async restore() {
      const kept = await session.load().catch(toFailure());
      if (kept instanceof TributaryError)
        service.stateProblem = continueProblem(undefined, kept, now());
      else if (kept !== undefined) takeRegistration(parts, kept);
    },
    name: 'service',
    firstAfterMs: firstPassMs,
    wakeup: wakeups.service,
    async tick(signal) {
      const waitMs = await talk(signal).catch((error: unknown) => {
        if (isAbort(error) && signal.aborted) throw error;
        return noteFailure(error);
      });
      service.nextRenewalAt = new Date(now().getTime() + waitMs);
      return waitMs;
    },
  };
}

/**
 * The owner's token, which is in the state from then on. A disk that fails stops no renewal of a
 * device that is signed in: `diskFailure` says what it failed at.
 * @throws codes of `signIn`
 */
async function signIn(
  { service, session }: ServiceLoopParts,
  signal: AbortSignal,
): Promise<{ readonly networkJwt: Secret; readonly diskFailure: TributaryError | undefined }> {
  const signedIn = await session
    .signIn(signal)
    .catch(toFailure('state-unreadable', 'state-unwritable'));
  const diskFailure = signedIn instanceof TributaryError ? signedIn : undefined;
  const networkJwt = signedIn instanceof TributaryError ? service.networkJwt : signedIn;
  if (networkJwt === undefined) throw diskFailure;
  if (!networkJwt.equals(service.networkJwt)) service.refusedSinceMs = undefined;
  service.networkJwt = networkJwt;
  service.signInProblem = undefined;
  return { networkJwt, diskFailure };
}

interface Question {
  readonly networkJwt: Secret;
  /** The registration to renew; undefined if one has to be loaded, recovered or made first. */
  readonly known: Registration | undefined;
}

/** @throws codes of `register` and `renew`; sign-in-refused where the token itself is refused */
async function registerOrRenew(
  parts: ServiceLoopParts,
  { networkJwt, known }: Question,
  signal: AbortSignal,
): Promise<Registration> {
  const { session } = parts;
  const asked =
    known === undefined
      ? session.register(networkJwt, signal)
      : session.renew(networkJwt, known, signal);
  return asked.catch(async (error: unknown) => {
    throw await judgeRefusal(parts, { networkJwt, error }, signal);
  });
}

/**
 * Decides what a failure means for the sign-in, and returns the error to show the owner. A refused
 * token is kept, because a service that is being repaired refuses everyone. Once it can no longer
 * be of use, the device is signed out.
 */
async function judgeRefusal(
  { service, session, now }: ServiceLoopParts,
  { networkJwt, error }: { readonly networkJwt: Secret; readonly error: unknown },
  signal: AbortSignal,
): Promise<unknown> {
  const isRefused =
    hasCode(error, 'not-authorized') && (await session.confirmRefusal(networkJwt, signal));
  if (!isRefused) {
    service.refusedSinceMs = undefined;
    return error;
  }
  service.refusedSinceMs ??= performance.now();
  if (await session.dropIfUseless(networkJwt, performance.now() - service.refusedSinceMs)) {
    service.networkJwt = undefined;
    service.signInProblem = continueProblem(service.signInProblem, error, now());
    return error;
  }
  const message = `the service refuses this device's sign-in, which is kept: ${messageOf(error)}`;
  return new TributaryError('sign-in-refused', message, { cause: error });
}

/**
 * Puts a registration into the state; true if its tunnel is another one. An unchanged tunnel stays
 * the same object, so that its text is not parsed again.
 */
function takeRegistration(
  { service, state }: ServiceLoopParts,
  registration: Registration,
): boolean {
  const { renew_seconds_default: defaultSeconds } = state.configuration.config.service;
  const before = service.registration?.tunnel;
  const isOtherTunnel = !isSame(before, registration.tunnel);
  service.registration = { ...registration, tunnel: isOtherTunnel ? registration.tunnel : before };
  service.renewSeconds = chooseRenewSeconds(registration.renewSeconds, defaultSeconds);
  return isOtherTunnel;
}

const topics = ['signInProblem', 'registrationProblem', 'problem'] as const;

/** The field of the state, and so of `status`, that shows this error. */
function chooseTopic(error: unknown): (typeof topics)[number] | 'stateProblem' {
  if (hasCode(error, 'signed-out', 'auth-code-refused')) return 'signInProblem';
  if (hasCode(error, 'state-unwritable', 'state-unreadable', 'identity-moved'))
    return 'stateProblem';
  if (
    hasCode(
      error,
      'client-limit-exceeded',
      'registration-incomplete',
      'service-refused',
      'sign-in-refused',
    )
  ) {
    return 'registrationProblem';
  }
  return 'problem';
}

function chooseWaitMs(
  error: unknown,
  failures: number,
  { service, random }: ServiceLoopParts,
): number {
  if (hasCode(error, 'client-limit-exceeded')) {
    // A registered device still sends keep-alives.
    const { registration, renewSeconds } = service;
    return registration === undefined
      ? limitMs * (0.5 + random() / 2)
      : spreadRenewMs(renewSeconds, random);
  }
  if (hasCode(error, 'sign-in-refused')) {
    return (
      refusedMs + computeBackoffMs(failures, { baseMs: refusedMs, maxMs: 2 * refusedMs }, random)
    );
  }
  if (hasCode(error, 'signed-out', 'auth-code-refused', 'identity-moved')) return ownersTurnMs;
  const retryMs = chooseRetryMs(failures, service.renewSeconds, random);
  const askedMs = hasCode(error, 'rate-limited', 'service-failed')
    ? (error.retryAfterSeconds ?? 0) * 1000
    : 0;
  // Never sooner than the service asked. The wait is spread, because it may have asked every device
  // to wait until one moment.
  const spreadMs = askedMs === 0 ? 0 : random() * spreadRenewMs(service.renewSeconds, random);
  return Math.max(retryMs, askedMs + spreadMs);
}
