import { toUndefined } from '../errors/codes.ts';
import type { Secret } from '../lib/secret.ts';
import type { ServiceClient } from '../service/client.ts';
import { readClaims } from '../service/jwt.ts';
import { chooseKeptMs, readLifeMs } from './own-token.ts';
import { emptyNetworkJwtState, type NetworkJwtStore } from './registration-files.ts';
import { withOwnersToken } from './sign-in.ts';

type Caller = Pick<ServiceClient, 'call'>;

/**
 * True where a token has passed half of its life by the clock of the service that issued it. One
 * that does not say how long it is good needs no renewal.
 */
export function isRenewalDue(token: Secret, serviceTime: Date): boolean {
  const { expiresAtMs } = readClaims(token) ?? {};
  const lifeMs = readLifeMs(token);
  if (expiresAtMs === undefined || lifeMs === undefined) return false;
  return expiresAtMs - serviceTime.getTime() < lifeMs / 2;
}

/** How long (ms) to wait between two tries: some tries have to fit into half of its life. */
export const chooseRenewalRestMs = chooseKeptMs;

/**
 * A token of this holder with a later end, by whatever the service serves: a fresh one for it,
 * else, for its owner's, a code that is made and redeemed at once. undefined where the service
 * serves neither, or gives nothing better; the next try may.
 * @throws AbortError
 */
export async function renewToken(
  client: Caller,
  token: Secret,
  signal: AbortSignal,
): Promise<Secret | undefined> {
  for (const ask of [refresh, redeemOwnCode]) {
    const renewed = await ask(client, token, signal).catch(toUndefined());
    if (renewed !== undefined && isBetter(renewed, token)) return renewed;
  }
  return undefined;
}

type Ask = (client: Caller, token: Secret, signal: AbortSignal) => Promise<Secret | undefined>;

const refresh: Ask = async (client, token, signal) =>
  (await client.call('refreshToken', undefined, { token, signal })).byJwt;

const redeemOwnCode: Ask = async (client, token, signal) => {
  // A device's own token opens no account, and what a code buys would open it.
  if (readClaims(token)?.clientId !== undefined) return undefined;
  const { authCode } = await client.call('codeCreate', { uses: 1 }, { token, signal });
  if (authCode === undefined) return undefined;
  return (await client.call('codeLogin', { authCode }, { signal })).byJwt;
};

/** A token for the very same holder, which is good for longer. */
function isBetter(renewed: Secret, token: Secret): boolean {
  const [next, before] = [readClaims(renewed), readClaims(token)];
  return (
    next?.networkId === before?.networkId &&
    next?.clientId === before?.clientId &&
    (next?.expiresAtMs ?? 0) > (before?.expiresAtMs ?? 0)
  );
}

/**
 * Puts the renewed token in the place of the one before. Another one of the owner on the disk is
 * from a sign-in meanwhile, and stays.
 * @throws state-unwritable, state-unreadable
 */
export async function replaceToken(
  store: NetworkJwtStore,
  { before, renewed, now }: Readonly<{ before: Secret; renewed: Secret; now: Date }>,
): Promise<void> {
  const state = (await store.readOrSetAside()) ?? emptyNetworkJwtState;
  if (state.holder === 'device')
    await store.write({ ...state, token: renewed, takenAt: now.toISOString() });
  else if (before.equals(state.token)) await store.write(withOwnersToken(state, renewed));
}
