import type { Facts } from '../../health/facts.ts';
import { readLifeMs } from '../../identity/own-token.ts';
import { isClockSet } from '../../lib/clock.ts';
import { dayMs, formatSeconds } from '../../lib/units.ts';
import { readClaims } from '../../service/jwt.ts';
import { scrub } from '../../service/scrub.ts';
import type { AgentState } from '../state.ts';
import type { ServiceState } from './service-state.ts';
import { readServiceTime } from './service-time.ts';

/**
 * The owner is told this long (ms) before the end of a sign-in; of one that is good for less than a
 * month, in the last quarter of it. A device whose sign-in is renewed never comes near.
 */
const toldBeforeMs = 7 * dayMs;

interface AccountParts {
  readonly state: { readonly contact: Pick<AgentState['contact'], 'serviceTime'> };
  readonly service: Readonly<ServiceState>;
  readonly now: Date;
}

/** When the sign-in in use ends, and whether its owner has to act, by the service's clock. */
export function judgeSignIn({ state, service, now }: AccountParts): Facts['signIn'] {
  const { token } = service;
  const endsAtMs = token && readClaims(token)?.expiresAtMs;
  if (token === undefined || endsAtMs === undefined)
    return { endsAt: undefined, ending: undefined };
  const endsAt = new Date(endsAtMs);
  const own = isClockSet(now.getTime()) ? now : undefined;
  const serviceTime = readServiceTime(state.contact) ?? own;
  const leftMs = serviceTime && endsAtMs - serviceTime.getTime();
  const lifeMs = readLifeMs(token) ?? Number.POSITIVE_INFINITY;
  if (leftMs === undefined || leftMs >= Math.min(toldBeforeMs, lifeMs / 4))
    return { endsAt, ending: undefined };
  const when =
    leftMs > 0
      ? `ends in ${formatSeconds(leftMs / 1000)}`
      : `ended ${formatSeconds(-leftMs / 1000)} ago`;
  const message = `This device's sign-in ${when}, and the service has not renewed it.`;
  const since = service.signIn?.ending?.since ?? now;
  return { endsAt, ending: { code: 'sign-in-ending', message, since } };
}

/** Other clients of this device at the service, as they were last seen. */
export function judgeOtherClients({
  service,
  now,
}: Pick<AccountParts, 'service' | 'now'>): Facts['secondClient'] {
  const { otherClientIds = [], clientId } = service.registration ?? {};
  if (otherClientIds.length === 0) return undefined;
  const ids = scrub(otherClientIds.join(', '), []);
  const message = `The service lists this device (${clientId}) more than once, also as ${ids}, which nothing uses.`;
  return { code: 'second-client', message, since: service.secondClient?.since ?? now };
}
