import {
  hasCode,
  isAbort,
  messageOf,
  TributaryError,
  toFailure,
  toUndefined,
} from '../../errors/codes.ts';
import { continueProblem } from '../../health/problem.ts';
import type { Registration } from '../../identity/registration-files.ts';
import { chooseRenewSeconds, spreadRenewMs } from '../../identity/renew.ts';
import { isSame, type Secret } from '../../lib/secret.ts';
import { readFileIfThere } from '../../system/files.ts';
import type { Loop } from '../run-loop.ts';
import type { AgentState, Sections, Shared } from '../state.ts';
import { explainNames } from './explain-names.ts';
import { judgeOtherClients, judgeSignIn } from './note-account.ts';
import { chooseFailureWaitMs, chooseTunnelWaitMs, isWaitingForTunnel } from './service-pace.ts';
import type { ServiceSession } from './service-session.ts';

export interface ServiceLoopParts
  extends Pick<Shared, 'wakeups' | 'now' | 'random'>,
    Pick<Sections, 'service'> {
  readonly state: Pick<AgentState, 'configuration' | 'sources' | 'contact'>;
  readonly session: ServiceSession;
  /** The text of the file that names this process's name servers. */
  readonly readResolvConf?: () => Promise<string | undefined>;
}

/**
 * A new fence drops answers to questions that were asked before it. So the service is asked after
 * the first pass, which wakes this loop, or after this time (ms).
 */
const firstPassMs = 10_000;

/** The conversation with the service: signs in, registers once, then renews on the interval. */
export interface ServiceLoop extends Loop {
  /**
   * Takes up what an earlier run kept, before the first tick. A file that cannot be read becomes a
   * problem in the state; nothing is thrown for it.
   */
  restore(): Promise<void>;
  /**
   * Puts to use what the service has just issued, so that a new key is in the tunnel before any
   * disk has it.
   */
  take(registration: Registration): void;
  /**
   * Signs in, then registers or renews once. Resolves with the ms until the next is due. Failures
   * become problems in the state.
   * @throws AbortError
   */
  tick(signal: AbortSignal): Promise<number>;
}

export function createServiceLoop(parts: ServiceLoopParts): ServiceLoop {
  const { service, session, state, wakeups, random, now } = parts;
  const { readResolvConf = () => readFileIfThere('/etc/resolv.conf').catch(toUndefined()) } = parts;
  /** Tries in a row that failed, or brought no tunnel although one is wanted. */
  let futileTries = 0;
  let hasFailed = false;
  /** False until this process has loaded, recovered or made the registration with the service. */
  let isRegistered = false;
  /** Resolves with the time until the next renewal (ms). */
  const talk = async (signal: AbortSignal): Promise<number> => {
    const { token, diskFailure } = await signIn(parts, signal);
    const known = isRegistered ? service.registration : undefined;
    const isChanged = takeRegistration(
      parts,
      await registerOrRenew(parts, { token, known }, signal),
    );
    // A renewal that changed nothing needs no pass.
    if (isChanged || known === undefined || hasFailed) wakeups.dataPath.notify();
    wakeups.announce.notify();
    service.refusedSinceMs = undefined;
    for (const topic of topics) service[topic] = undefined;
    service.stateProblem = continueProblem(service.stateProblem, diskFailure, now());
    hasFailed = false;
    const isFirst = !isRegistered;
    isRegistered = true;
    futileTries = isWaitingForTunnel(parts) ? futileTries + 1 : 0;
    if (futileTries > 0) return chooseTunnelWaitMs(futileTries, parts);
    // The first renewal is anywhere in the interval, because many devices may have started
    // together.
    return spreadRenewMs(service.renewSeconds, random) * (isFirst ? random() : 1);
  };
  const noteFailure = async (error: unknown): Promise<number> => {
    futileTries += 1;
    hasFailed = true;
    const topic = chooseTopic(error);
    const shown = await explainNames(error, readResolvConf);
    service[topic] = continueProblem(service[topic], shown, now());
    // Being signed out closes the gateway at once, and not only with the next pass.
    if (service.signInProblem !== undefined) wakeups.dataPath.notify();
    return chooseFailureWaitMs(error, futileTries, parts);
  };
  return {
    async restore() {
      const kept = await session.load().catch(toFailure());
      if (kept instanceof TributaryError)
        service.stateProblem = continueProblem(undefined, kept, now());
      else if (kept !== undefined) takeRegistration(parts, kept);
    },
    take(registration) {
      if (takeRegistration(parts, registration)) wakeups.dataPath.notify();
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
      service.signIn = judgeSignIn({ state, service, now: now() });
      service.secondClient = judgeOtherClients({ service, now: now() });
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
): Promise<{ readonly token: Secret; readonly diskFailure: TributaryError | undefined }> {
  const signedIn = await session
    .signIn(signal)
    .catch(toFailure('state-unreadable', 'state-unwritable'));
  const diskFailure = signedIn instanceof TributaryError ? signedIn : undefined;
  const token = signedIn instanceof TributaryError ? service.token : signedIn;
  if (token === undefined) throw diskFailure;
  if (!token.equals(service.token)) service.refusedSinceMs = undefined;
  service.token = token;
  service.signInProblem = undefined;
  return { token, diskFailure };
}

interface Question {
  readonly token: Secret;
  /** The registration to renew; undefined if one has to be loaded, recovered or made first. */
  readonly known: Registration | undefined;
}

/** @throws codes of `register` and `renew`; sign-in-refused where the token itself is refused */
async function registerOrRenew(
  parts: ServiceLoopParts,
  { token, known }: Question,
  signal: AbortSignal,
): Promise<Registration> {
  const { session } = parts;
  const asked =
    known === undefined ? session.register(token, signal) : session.renew(token, known, signal);
  return asked.catch(async (error: unknown) => {
    throw await judgeRefusal(parts, { token, error }, signal);
  });
}

/**
 * Decides what a failure means for the sign-in, and returns the error to show the owner. A refused
 * token is kept, because a service that is being repaired refuses everyone. Once it can no longer
 * be of use, the device is signed out.
 */
async function judgeRefusal(
  { service, session, now }: ServiceLoopParts,
  { token, error }: { readonly token: Secret; readonly error: unknown },
  signal: AbortSignal,
): Promise<unknown> {
  const isRefused =
    hasCode(error, 'not-authorized') && (await session.confirmRefusal(token, signal));
  if (!isRefused) {
    service.refusedSinceMs = undefined;
    return error;
  }
  service.refusedSinceMs ??= performance.now();
  if (await session.dropIfUseless(token, performance.now() - service.refusedSinceMs)) {
    service.token = undefined;
    service.signInProblem = continueProblem(service.signInProblem, error, now());
    return error;
  }
  const message = `the service refuses this device's sign-in, which is kept: ${messageOf(error)}`;
  return new TributaryError('sign-in-refused', message, { cause: error });
}

/**
 * Puts a registration into the state; true if something else was issued to it. An unchanged tunnel
 * stays the same object, so that its text is not parsed again.
 */
function takeRegistration(
  { service, state }: ServiceLoopParts,
  registration: Registration,
): boolean {
  const { renew_seconds_default: defaultSeconds } = state.configuration.config.service;
  const before = service.registration;
  const isOtherTunnel = !isSame(before?.tunnel, registration.tunnel);
  const tunnel = isOtherTunnel ? registration.tunnel : before?.tunnel;
  service.registration = { ...registration, tunnel };
  service.renewSeconds = chooseRenewSeconds(registration.renewSeconds, defaultSeconds);
  return isOtherTunnel || !isSame(before?.unissued, registration.unissued);
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
      'client-lost',
      'registration-incomplete',
      'service-refused',
      'sign-in-refused',
    )
  ) {
    return 'registrationProblem';
  }
  return 'problem';
}
