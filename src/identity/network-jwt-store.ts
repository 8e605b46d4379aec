import { createHash } from 'node:crypto';
import * as z from 'zod';
import { Secret } from '../lib/secret.ts';
import { maybe } from '../service/fields.ts';
import { createStateFile, type OnSetAside, type StateFile } from '../system/state-file.ts';

export const installId = z.string().regex(/^[0-9a-f]{16}$/);
/** A secret as it lies in a state file. */
export const storedSecret = z
  .string()
  .min(1)
  .transform((text) => new Secret(text));

const fingerprints = z.array(z.string().regex(/^[0-9a-f]{64}$/)).readonly();
const schema = z.object({
  token: maybe(storedSecret),
  /** SHA-256 of auth codes that were used or refused; newest last. */
  spentCodes: fingerprints,
  /** SHA-256 of network JWTs that the service no longer takes; newest last. */
  refusedTokens: fingerprints,
  /** As in `identity.json`, which may be lost; undefined before the device was first loaded. */
  installId: installId.optional(),
});

/** What is known of the owner's tokens: the one in use, and those that must not be tried again. */
export type NetworkJwtState = Readonly<z.output<typeof schema>>;

export type NetworkJwtStore = StateFile<NetworkJwtState>;

/** The file `network-jwt.json` of the state directory. */
export function createNetworkJwtStore(directory: string, onSetAside: OnSetAside): NetworkJwtStore {
  return createStateFile<NetworkJwtState>({
    directory,
    name: 'network-jwt',
    schema,
    toJson: (state) => ({ ...state, token: state.token?.reveal() }),
    onSetAside,
  });
}

export const emptyNetworkJwtState: NetworkJwtState = { token: undefined, spentCodes: [], refusedTokens: [] };

/** Signs out after a confirmed refusal: the token is dropped and never taken again. @throws state-unwritable */
export async function forgetNetworkJwt(store: NetworkJwtStore, refused: Secret): Promise<void> {
  const state = (await store.readOrSetAside()) ?? emptyNetworkJwtState;
  const token = refused.equals(state.token) ? undefined : state.token;
  await store.write({ ...state, token, refusedTokens: remember(state.refusedTokens, toFingerprint(refused)) });
}

/** SHA-256 of a secret, in hex: enough to know it again. */
export function toFingerprint(secret: Secret): string {
  return createHash('sha256').update(secret.reveal()).digest('hex');
}

/** The list with one more fingerprint; the oldest go, so that the file stays small. */
export function remember(fingerprints: readonly string[], fingerprint: string): readonly string[] {
  return [...fingerprints.filter((known) => known !== fingerprint), fingerprint].slice(-50);
}
