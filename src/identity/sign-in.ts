import { createHash } from 'node:crypto';
import { hasCode, isAbort, TributaryError } from '../errors/codes.ts';
import type { Secret } from '../lib/secret.ts';
import { dayMs } from '../lib/units.ts';
import type { ServiceClient } from '../service/client.ts';
import { readClaims } from '../service/jwt.ts';
import {
  emptyNetworkJwtState,
  type NetworkJwtState,
  type NetworkJwtStore,
} from './registration-files.ts';

/** What signing in needs. */
export interface SignInDependencies {
  readonly client: Pick<ServiceClient, 'call'>;
  readonly store: NetworkJwtStore;
}

/** What the owner gave besides the configuration; undefined for what was not given. */
export type GivenCredentials = Readonly<Record<'networkJwt' | 'authCode', Secret | undefined>>;

// The service allows 5 logins in 5 minutes, and one more makes the wait longer (production-profile,
// "Failures").
const loginPauseSeconds = 300;

/**
 * The network JWT: the stored one, else the given one, else one bought with the auth code.
 * @throws signed-out, codes of `signIn`
 */
export async function resolveNetworkJwt(
  dependencies: SignInDependencies,
  given: GivenCredentials,
  signal: AbortSignal,
): Promise<Secret> {
  const state = (await dependencies.store.readOrSetAside()) ?? emptyNetworkJwtState;
  if (state.token !== undefined) return state.token;
  const networkJwt = given.networkJwt?.trim();
  if (networkJwt !== undefined && !state.refusedTokens.includes(toFingerprint(networkJwt))) {
    await dependencies.store.write(withOwnersToken(state, networkJwt));
    return networkJwt;
  }
  if (given.authCode !== undefined) return signIn(dependencies, given.authCode, signal);
  const why =
    networkJwt === undefined
      ? 'this device is not signed in'
      : 'the network JWT given is no longer accepted';
  throw new TributaryError(
    'signed-out',
    `${why}: sign in with \`tributary login\` and a new auth code`,
  );
}

/**
 * Trades an auth code for the network JWT.
 * @throws auth-code-refused, state-unwritable, codes of `call`
 */
export async function signIn(
  { client, store }: SignInDependencies,
  authCode: Secret,
  signal: AbortSignal,
): Promise<Secret> {
  const code = authCode.trim();
  if (!/^\S{1,2000}$/.test(code.reveal())) {
    throw new TributaryError(
      'auth-code-refused',
      'signing in: the auth code is empty or has a space in it',
    );
  }
  const fingerprint = toFingerprint(code);
  const state = (await store.readOrSetAside()) ?? emptyNetworkJwtState;
  // No code is sent twice, because a restart loop would lock the owner out.
  if (state.spentCodes.includes(fingerprint)) {
    throw new TributaryError(
      'auth-code-refused',
      `signing in: this auth code was already used or refused; ${advice}`,
    );
  }
  // A disk that cannot be written has to be noticed before the code is spent.
  await store.write(state);
  const spent = { ...state, spentCodes: remember(state.spentCodes, fingerprint) };
  const answer = await client
    .call('codeLogin', { authCode: code }, { signal })
    .catch(async (error: unknown) => {
      if (hasCode(error, 'auth-code-refused')) await store.write(spent);
      throw toLoginError(error);
    });
  if (answer.byJwt === undefined) {
    throw new TributaryError(
      'answer-invalid',
      'signing in: the answer holds neither a network JWT nor an error',
    );
  }
  await store.write(withOwnersToken(spent, answer.byJwt));
  return answer.byJwt;
}

/**
 * Keeps the token that `obtain` brings as the sign-in.
 * @throws state-unwritable, also before `obtain` is called; codes of `obtain`
 */
export async function keepSignIn(
  store: NetworkJwtStore,
  obtain: () => Promise<Secret>,
): Promise<Secret> {
  const state = (await store.readOrSetAside()) ?? emptyNetworkJwtState;
  await store.write(state);
  const token = await obtain();
  await store.write(withOwnersToken(state, token));
  return token;
}

const advice = 'make a new one and give it to `tributary login`';

function toLoginError(error: unknown): unknown {
  if (hasCode(error, 'auth-code-refused')) {
    return new TributaryError('auth-code-refused', `signing in: ${error.message}; ${advice}`, {
      cause: error,
    });
  }
  if (!hasCode(error, 'rate-limited')) return error;
  const retryAfterSeconds = error.retryAfterSeconds ?? loginPauseSeconds;
  return new TributaryError('rate-limited', `signing in: ${error.message}`, {
    cause: error,
    retryAfterSeconds,
  });
}

/**
 * Asks a second operation, because a single refusal says little about the token, and a 5xx, a
 * time-out or HTML nothing.
 * @throws AbortError
 */
export async function confirmRefusal(
  client: SignInDependencies['client'],
  token: Secret,
  signal: AbortSignal,
): Promise<boolean> {
  const asked = client.call('clients', undefined, { token, signal, keep: () => false });
  const failure = await asked.catch((error: unknown) => error);
  if (isAbort(failure)) throw failure;
  return hasCode(failure, 'not-authorized');
}

/**
 * In ms. A service that is being changed or repaired refuses everyone; within a day its people
 * notice.
 */
const longestMs = dayMs;

/**
 * True where a token that has been refused for so long (ms) will not be accepted again: it has
 * expired, or was refused for a day. Only the service's own clock tells that it has expired,
 * because this device's may be wrong; undefined where the service names no time.
 */
export function isRefusedForGood(
  token: Secret,
  refusedMs: number,
  serviceTime: Date | undefined,
): boolean {
  const expiresAtMs = readClaims(token)?.expiresAtMs ?? Number.POSITIVE_INFINITY;
  const isExpired = serviceTime !== undefined && expiresAtMs <= serviceTime.getTime();
  return isExpired || refusedMs >= longestMs;
}

/**
 * Signs out after a confirmed refusal: the token is removed and never accepted again. Of a device's
 * own, the file may hold an earlier one. The owner's is then used, where it was kept.
 * @throws state-unwritable
 */
export async function forgetNetworkJwt(store: NetworkJwtStore, refused: Secret): Promise<void> {
  const state = (await store.readOrSetAside()) ?? emptyNetworkJwtState;
  const isRefused = refused.equals(state.token) || state.holder === 'device';
  const kept = isRefused ? withOwnersToken(state, state.ownerToken) : state;
  await store.write({
    ...kept,
    refusedTokens: remember(state.refusedTokens, toFingerprint(refused)),
  });
}

/**
 * Signs out because the owner says so: no token stays, and none of them is accepted again.
 * @throws state-unwritable
 */
export async function signOut(store: NetworkJwtStore, given: Secret | undefined): Promise<void> {
  const state = (await store.readOrSetAside()) ?? emptyNetworkJwtState;
  const tokens = [state.token, state.ownerToken, given].filter((one) => one !== undefined);
  await store.write({
    ...withOwnersToken(state, undefined),
    refusedTokens: tokens.map(toFingerprint).reduce(remember, state.refusedTokens),
  });
}

/** The state with this token of the owner in use, or none, and no other. */
export function withOwnersToken(
  state: NetworkJwtState,
  token: Secret | undefined,
): NetworkJwtState {
  return { ...state, token, holder: 'owner', takenAt: undefined, ownerToken: undefined };
}

/** SHA-256 of a secret in hex, by which it is recognized. */
export function toFingerprint(secret: Secret): string {
  return createHash('sha256').update(secret.reveal()).digest('hex');
}

/** The list with one more fingerprint. The oldest are dropped, so that the file stays small. */
export function remember(fingerprints: readonly string[], fingerprint: string): readonly string[] {
  return [...fingerprints.filter((known) => known !== fingerprint), fingerprint].slice(-50);
}
