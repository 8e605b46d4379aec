import { createHash } from 'node:crypto';
import { type ProvideWish, type Secrets, toProvideKeys } from '../contract/secrets.ts';
import type { ControlClient } from '../control/control-client.ts';
import { type Id, toUuid } from '../wire/id.ts';
import { createBell } from './bell.ts';

/**
 * Tells the platform for whom the provider is there. Each time costs the running minute in the
 * platform's books, so it is told only where the set is another one than the last.
 */
export interface Publisher {
  /**
   * Publishes for the wish of the time, and whenever `wake` is called after it changed, until the
   * signal is aborted. What fails is tried again, ever more rarely.
   */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when the wish of the time is published for the first time. */
  readonly first: Promise<void>;
  /** The wish or the token changed. */
  wake(): void;
  /** The platform knows what is wished for now, and it is something. */
  isPublished(): boolean;
  /** What was published last, to be kept; null where nobody knows. */
  published(): string | null;
  /** Takes everything back. */
  withdraw(signal: AbortSignal): Promise<void>;
}

export interface PublisherOptions {
  readonly ownId: Id;
  readonly secrets: Secrets;
  readonly control: Pick<ControlClient, 'provide'>;
  readonly wish: () => ProvideWish;
  readonly published: string | null;
  /** From 0 to 1. */
  readonly random: () => number;
  /** What `published` gives is another one now, and is to be kept. */
  readonly onPublished: () => void;
}

const firstWait = 1000;
const longestWait = 60_000;

export function createPublisher(options: PublisherOptions): Publisher {
  const { ownId, secrets, control, wish } = options;
  let published = options.published;
  const bell = createBell();
  const { promise: first, resolve: isFirst } = Promise.withResolvers<void>();
  const isDone = (): boolean => published === nameSet(ownId, secrets, wish());

  const publish = async (wanted: ProvideWish, signal: AbortSignal): Promise<boolean> => {
    const before = published;
    const outcome = await control.provide(toProvideKeys(secrets, wanted), signal);
    if (outcome.kind === 'done') published = nameSet(ownId, secrets, wanted);
    // It may have been carried out, or not.
    else if (outcome.reason === 'unknown') published = null;
    if (published !== before) options.onPublished();
    return outcome.kind === 'done';
  };

  return {
    first,
    wake: bell.ring,
    published: () => published,
    isPublished: () => isDone() && wish() !== 'none',
    async run(signal) {
      let failures = 0;
      while (!signal.aborted) {
        if (isDone() || (await publish(wish(), signal))) failures = 0;
        else failures++;
        if (isDone()) isFirst();
        const steady = Math.min(longestWait, firstWait * 2 ** failures) / 2;
        if (failures > 0) await bell.wait(steady * (1 + options.random()), signal);
        else if (isDone()) await bell.wait(Number.POSITIVE_INFINITY, signal);
      }
      isFirst();
    },
    async withdraw(signal) {
      if (published !== nameSet(ownId, secrets, 'none')) await publish('none', signal);
    },
  };
}

/** A name for what is published: another one for other secrets, and for another device. */
function nameSet(ownId: Id, secrets: Secrets, wish: ProvideWish): string {
  const keys = toProvideKeys(secrets, wish);
  const hash = createHash('sha256').update(toUuid(ownId));
  for (const { mode, secret } of keys) hash.update(`${mode}`).update(secret);
  return `${keys.map(({ mode }) => mode).join('+')}:${hash.digest('hex')}`;
}
