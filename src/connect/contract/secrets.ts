import type { ProvideKey } from '../wire/control-messages.ts';
import type { RandomBytes } from '../wire/id.ts';
import { type ProvideMode, provideModes } from '../wire/message-types.ts';

/**
 * One secret for each mode. The platform signs contracts with them, so they are made once and kept:
 * contracts on their way die with a secret, and each change costs a block of reliability.
 */
export type Secrets = ReadonlyMap<ProvideMode, Buffer>;

/** For whom the owner wants to be there. */
export type ProvideWish = 'public' | 'friends' | 'network' | 'stream' | 'none';

/**
 * The modes that are published for a wish. `stream` is needed to receive answers as a consumer and
 * to renew in direct mode, so it goes with each of them.
 */
export const publishedModes: Readonly<Record<ProvideWish, readonly ProvideMode[]>> = {
  public: [
    provideModes.network,
    provideModes.friendsAndFamily,
    provideModes.public,
    provideModes.stream,
  ],
  friends: [provideModes.network, provideModes.friendsAndFamily, provideModes.stream],
  network: [provideModes.network, provideModes.stream],
  stream: [provideModes.stream],
  none: [],
};

const secretLength = 32;

/** Makes the secrets that are missing; those that are there stay. */
export function completeSecrets(randomBytes: RandomBytes, known: Secrets = new Map()): Secrets {
  return new Map(
    publishedModes.public.map((mode) => [mode, known.get(mode) ?? randomBytes(secretLength)]),
  );
}

/** What is published for a wish: the whole set, which replaces the one before. */
export function toProvideKeys(secrets: Secrets, wish: ProvideWish): readonly ProvideKey[] {
  return publishedModes[wish].flatMap((mode) => {
    const secret = secrets.get(mode);
    return secret === undefined ? [] : [{ mode, secret }];
  });
}

/** Secrets as data to keep, by mode in hex. It has to be kept from other users. */
export type SecretsData = Readonly<Record<string, string>>;

export function saveSecrets(secrets: Secrets): SecretsData {
  return Object.fromEntries([...secrets].map(([mode, secret]) => [mode, secret.toString('hex')]));
}

/** Reads them back; what is no secret of a known mode is left out. */
export function loadSecrets(data: SecretsData): Secrets {
  const modes = Object.values(provideModes);
  return new Map(
    modes.flatMap((mode) => {
      const secret = Buffer.from(data[mode] ?? '', 'hex');
      return secret.length === secretLength ? [[mode, secret] as const] : [];
    }),
  );
}
