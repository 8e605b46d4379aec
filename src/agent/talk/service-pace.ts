import { hasCode } from '../../errors/codes.ts';
import { chooseRetryMs, spreadRenewMs } from '../../identity/renew.ts';
import { computeBackoffMs } from '../../lib/backoff.ts';
import { wantIssuedTunnel } from '../../source/source.ts';
import type { AgentState, Shared } from '../state.ts';

/** What the waits between two questions to the service depend on. */
export interface ServicePaceParts extends Pick<Shared, 'random'> {
  readonly state: Pick<AgentState, 'sources'>;
  readonly service: AgentState['service'];
}

/** Only the owner can go on, by `tributary login`, which wakes the loop (ms). */
const ownersTurnMs = 30_000;
/** A limit of the service lasts hours, not seconds, so the next try waits this long (ms). */
const limitMs = 900_000;
/**
 * A refused token is tried again after 5 to 15 minutes (ms). Meanwhile the tunnel needs nothing of
 * the service.
 */
const refusedMs = 300_000;

/**
 * True while a source wants the tunnel that the service issues, and the service has issued none.
 * The service is then asked as often as before the registration.
 */
export function isWaitingForTunnel({ state, service }: ServicePaceParts): boolean {
  return wantIssuedTunnel(state.sources.all) && service.registration?.tunnel === undefined;
}

/**
 * Milliseconds to the next question while no tunnel is issued: as after a failure, but no later
 * than a registered device renews. `futileTries` is as in `chooseFailureWaitMs`.
 */
export function chooseTunnelWaitMs(
  futileTries: number,
  { service, random }: ServicePaceParts,
): number {
  return Math.min(
    spreadRenewMs(service.renewSeconds, random),
    chooseRetryMs(futileTries, undefined, random),
  );
}

/**
 * Milliseconds to the next try after this failure. `futileTries` counts the tries in a row that
 * failed or brought no tunnel, with this one.
 */
export function chooseFailureWaitMs(
  error: unknown,
  futileTries: number,
  parts: ServicePaceParts,
): number {
  const { service, random } = parts;
  if (hasCode(error, 'client-limit-exceeded')) {
    // A registered device still sends keep-alives.
    const { registration, renewSeconds } = service;
    return registration === undefined
      ? limitMs * (0.5 + random() / 2)
      : spreadRenewMs(renewSeconds, random);
  }
  if (hasCode(error, 'sign-in-refused')) {
    return (
      refusedMs + computeBackoffMs(futileTries, { baseMs: refusedMs, maxMs: 2 * refusedMs }, random)
    );
  }
  if (hasCode(error, 'signed-out', 'auth-code-refused', 'identity-moved')) return ownersTurnMs;
  const renewSeconds = isWaitingForTunnel(parts) ? undefined : service.renewSeconds;
  const retryMs = chooseRetryMs(futileTries, renewSeconds, random);
  const askedMs = hasCode(error, 'rate-limited', 'service-failed')
    ? (error.retryAfterSeconds ?? 0) * 1000
    : 0;
  // Never sooner than the service asked. The wait is spread, because it may have asked every device
  // to wait until one moment.
  const spreadMs = askedMs === 0 ? 0 : random() * spreadRenewMs(renewSeconds, random);
  return Math.max(retryMs, askedMs + spreadMs);
}
