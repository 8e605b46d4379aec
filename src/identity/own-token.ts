import { toUndefined } from '../errors/codes.ts';
import type { Secret } from '../lib/secret.ts';
import { dayMs, hourMs } from '../lib/units.ts';
import { readClaims } from '../service/jwt.ts';
import {
  emptyNetworkJwtState,
  type NetworkJwtState,
  type NetworkJwtStore,
} from './registration-files.ts';

/** The device's own token, as the service has just taken it. */
export interface TakenToken {
  readonly own: Secret;
  /** What the device asked by before; another one on the disk is from a sign-in meanwhile. */
  readonly before: Secret;
  readonly now: Date;
  /** How long (ms) the device has asked by its own, in this process. */
  readonly usedForMs: number;
}

/**
 * How long (ms) the owner's token stays on the disk beside the device's own: long enough for what
 * an owner does after a sign-in. A stolen card opens nothing but the device then.
 */
const ownerStaysMs = hourMs;

/**
 * Writes the device's own token as the one that it signs in with, so that the owner's is needed no
 * more and, an hour later, is removed.
 *
 * Each renewal brings a new one, and it is written only where the one on the disk has become old.
 * A sign-in that came meanwhile stays. A disk that takes nothing is tried at the next renewal.
 */
export async function keepOwnToken(
  store: NetworkJwtStore,
  { own, before, now, usedForMs }: TakenToken,
): Promise<void> {
  const keep = async () => {
    const state = (await store.readOrSetAside()) ?? emptyNetworkJwtState;
    const isOwners = state.holder === 'owner' && state.token !== undefined;
    if (isOwners && !before.equals(state.token)) return;
    const isOver = usedForMs >= ownerStaysMs && state.ownerToken !== undefined;
    if (!isOwners && !isOver && !isOld(state, own, now)) return;
    const kept = isOwners ? state.token : state.ownerToken;
    const ownerToken = isOver ? undefined : kept;
    const takenAt = now.toISOString();
    await store.write({ ...state, token: own, holder: 'device', takenAt, ownerToken });
  };
  await keep().catch(toUndefined('state-unwritable', 'state-unreadable'));
}

/** True where the token on the disk has to make room for a newer one. */
function isOld({ token, takenAt = '' }: NetworkJwtState, own: Secret, now: Date): boolean {
  const ageMs = Math.abs(now.getTime() - Date.parse(takenAt));
  return token === undefined || !(ageMs < chooseKeptMs(own));
}

/**
 * How long (ms) a token may stay on the disk while newer ones are in use: a day, because SD cards
 * wear out, and at most a quarter of its life, so that the device can be off for as long again.
 */
export function chooseKeptMs(token: Secret): number {
  return Math.min(dayMs, (readLifeMs(token) ?? Number.POSITIVE_INFINITY) / 4);
}

/** Of the tokens of one device, the one that is good for longest; undefined without any. */
export function pickNewest(tokens: readonly (Secret | undefined)[]): Secret | undefined {
  const known = tokens.filter((token) => token !== undefined);
  return known.toSorted((one, other) => readEndMs(other) - readEndMs(one))[0];
}

function readEndMs(token: Secret): number {
  return readClaims(token)?.expiresAtMs ?? Number.MAX_SAFE_INTEGER;
}

/** How long (ms) this token is good in all; undefined where it does not say. */
export function readLifeMs(token: Secret): number | undefined {
  const { issuedAtMs, expiresAtMs } = readClaims(token) ?? {};
  if (issuedAtMs === undefined || expiresAtMs === undefined) return undefined;
  return Math.max(0, expiresAtMs - issuedAtMs);
}
