import { continueProblem } from '../../health/problem.ts';
import type { Registration } from '../../identity/registration-files.ts';
import { chooseRenewSeconds, chooseRetryMs, spreadRenewMs } from '../../identity/renew.ts';
import { computeBackoffMs } from '../../lib/backoff.ts';
import { hasCode, isAbort, messageOf, TributaryError, toFailure } from '../../lib/errors.ts';
import { isSame } from '../../lib/secret.ts';
import type { AgentState, Sections, Shared } from '../state.ts';
import type { ServiceSession } from './service-session.ts';

export interface ServiceLoopParts
  extends Pick<Shared, 'wakeups' | 'now' | 'random'>,
    Pick<Sections, 'service'> {
  readonly state: Pick<AgentState, 'configuration'>;
  readonly session: ServiceSession;
}

/** The owner has to act first; `tributary login` wakes the loop. */
const ownersTurnMs = 30_000;
/** The limit is a matter of hours, not of seconds. */
const limitMs = 900_000;
/**
 * A refused token is asked about again after 5 to 15 minutes: the tunnel needs nothing of the
 * service meanwhile.
 */
const refusedMs = 300_000;

export function createServiceLoop(parts: ServiceLoopParts) {
  const { service, session, wakeups, now } = parts;
  let failures = 0;
  let isRegistered = false;
  return {
    /** Begins with what an earlier run kept; what cannot be read is a problem, not an end. */
    async restore() {
      const kept = await session.load().catch(toFailure());
      if (kept instanceof TributaryError)
        service.stateProblem = continueProblem(undefined, kept, now());
      else if (kept !== undefined) takeRegistration(parts, kept, kept);
    },
    /** Signs in, registers or renews once; resolves with the time until the next is due (ms). */
    async tick(signal: AbortSignal) {
      let waitMs: number;
      try {
        const before = isRegistered ? service.registration : undefined;
        const unread = await talk(parts, { before, isNews: failures > 0 }, signal);
        // The first is anywhere in the interval: many devices may have started together.
        waitMs =
          spreadRenewMs(service.renewSeconds, parts.random) * (isRegistered ? 1 : parts.random());
        isRegistered = true;
        failures = 0;
        for (const topic of topics) service[topic] = undefined;
        service.stateProblem = continueProblem(service.stateProblem, unread, now());
      } catch (error) {
        if (isAbort(error) && signal.aborted) throw error;
        failures += 1;
        const topic = chooseTopic(error);
        service[topic] = continueProblem(service[topic], error, now());
        // Signed out closes the gateway, now and not with its next pass.
        if (service.signInProblem !== undefined) wakeups.dataPath.notify();
        waitMs = chooseWaitMs(error, failures, parts);
      }
      service.nextRenewalAt = new Date(now().getTime() + waitMs);
      return waitMs;
    },
  };
}

/**
 * `before` undefined: nothing was loaded, recovered or made since the start; `isNews`: the last try
 * failed. Resolves with what the disk failed at.
 */
async function talk(
  parts: ServiceLoopParts,
  { before, isNews }: { readonly before: Registration | undefined; readonly isNews: boolean },
  signal: AbortSignal,
) {
  const { service, session, wakeups, now } = parts;
  const signedIn = await session
    .signIn(signal)
    .catch(toFailure('state-unreadable', 'state-unwritable'));
  const unread = signedIn instanceof TributaryError ? signedIn : undefined;
  // A disk that fails stops no renewal of a device that is signed in.
  const networkJwt = signedIn instanceof TributaryError ? service.networkJwt : signedIn;
  if (networkJwt === undefined) throw unread;
  service.signInProblem = undefined;
  if (!networkJwt.equals(service.networkJwt)) service.refusedSinceMs = undefined;
  service.networkJwt = networkJwt;
  try {
    const asked = before
      ? session.renew(networkJwt, before, signal)
      : session.register(networkJwt, signal);
    takeRegistration(parts, await asked, isNews ? undefined : before);
    service.refusedSinceMs = undefined;
    wakeups.announce.notify();
    return unread;
  } catch (error) {
    const isRefused =
      hasCode(error, 'not-authorized') && (await session.confirmRefusal(networkJwt, signal));
    service.refusedSinceMs = isRefused ? (service.refusedSinceMs ?? performance.now()) : undefined;
    if (service.refusedSinceMs === undefined) throw error;
    if (!(await session.dropIfUseless(networkJwt, performance.now() - service.refusedSinceMs))) {
      const message = `the service refuses this device's sign-in, which is kept: ${messageOf(error)}`;
      throw new TributaryError('sign-in-refused', message, { cause: error });
    }
    service.networkJwt = undefined;
    service.signInProblem = continueProblem(service.signInProblem, error, now());
    throw error;
  }
}

/**
 * Wakes the data path, but not for the tunnel of `known`: a renewal that changed nothing needs
 * no pass.
 */
function takeRegistration(
  { service, state, wakeups }: ServiceLoopParts,
  registration: Registration,
  known: Registration | undefined,
) {
  const { renew_seconds_default: defaultSeconds } = state.configuration.config.service;
  const tunnel = isSame(known?.tunnel, registration.tunnel) ? known?.tunnel : registration.tunnel;
  if (known === undefined || tunnel !== known.tunnel) wakeups.dataPath.notify();
  service.registration = { ...registration, tunnel };
  service.renewSeconds = chooseRenewSeconds(registration.renewSeconds, defaultSeconds);
}

const topics = ['signInProblem', 'registrationProblem', 'problem'] as const;

/**
 * Problems of the way there are the service's; what the owner has to fix is the sign-in's or the
 * registration's.
 */
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
    // A device that is registered keeps alive all the same.
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
  // Never sooner than asked; and everyone may have been asked to wait until the same moment.
  const spreadMs = askedMs === 0 ? 0 : random() * spreadRenewMs(service.renewSeconds, random);
  return Math.max(retryMs, askedMs + spreadMs);
}
