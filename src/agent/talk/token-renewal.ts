import { toUndefined } from '../../errors/codes.ts';
import { pickNewest } from '../../identity/own-token.ts';
import type { NetworkJwtStore, Registration } from '../../identity/registration-files.ts';
import {
  chooseRenewalRestMs,
  isRenewalDue,
  renewToken,
  replaceToken,
} from '../../identity/renew-token.ts';
import type { Secret } from '../../lib/secret.ts';
import type { AgentState, Shared } from '../state.ts';
import { readServiceTime } from './service-time.ts';

interface TokenRenewalParts extends Pick<Shared, 'client' | 'log' | 'now'> {
  readonly state: Pick<AgentState, 'contact'>;
  readonly store: NetworkJwtStore;
}

/** Sees to a token that keep-alives do not renew. */
export interface TokenRenewal {
  /**
   * Where the newest token of the device has passed half of its life, asks for a later one, and
   * writes it down. Resolves with the registration, which then holds it. Nothing is asked more
   * often than some times in a token's life, and what fails is tried again then.
   * @throws AbortError
   */
  renewInTime(
    token: Secret,
    registration: Registration,
    signal: AbortSignal,
  ): Promise<Registration>;
}

export function createTokenRenewal(parts: TokenRenewalParts): TokenRenewal {
  const { client, log, now, state, store } = parts;
  let restsUntilMs = Number.NEGATIVE_INFINITY;
  return {
    async renewInTime(token, registration, signal) {
      const serviceTime = readServiceTime(state.contact);
      if (serviceTime === undefined || performance.now() < restsUntilMs) return registration;
      // Each keep-alive brings the device a newer one, most often. Its owner's stays as it is.
      const newest = pickNewest([token, registration.clientJwt]) ?? token;
      if (!isRenewalDue(newest, serviceTime) && !isRenewalDue(token, serviceTime))
        return registration;
      const kept = await store.readOrSetAside().catch(toUndefined());
      const isOwn = kept?.holder === 'device';
      const inUse = isOwn ? newest : token;
      if (!isRenewalDue(inUse, serviceTime)) return registration;
      restsUntilMs = performance.now() + chooseRenewalRestMs(inUse);
      const renewed = await renewToken(client, inUse, signal);
      if (renewed === undefined) return registration;
      const replaced = replaceToken(store, { before: token, renewed, now: now() });
      await replaced.catch(toUndefined('state-unwritable', 'state-unreadable'));
      log.info('the sign-in was renewed');
      return isOwn ? { ...registration, clientJwt: renewed } : registration;
    },
  };
}
