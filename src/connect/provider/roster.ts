import { sessionRoles } from '../wire/encrypted-control.ts';
import { noBytes } from '../wire/frame.ts';
import type { Id } from '../wire/id.ts';
import type { Consumer, KnownConsumer } from './consumer-contract.ts';
import { engineLimits } from './limits.ts';
import type { Returning } from './returning.ts';
import { makeUnknownLane } from './unknown-sealers.ts';

/** `offering`: by what it is told something before it has sent anything; by default `known`. */
export type MakeConsumer = (
  id: Id,
  known: KnownConsumer | undefined,
  offering?: KnownConsumer,
) => Consumer;

/** The consumers that are here. */
export interface Roster {
  readonly consumers: ReadonlyMap<Id, Consumer>;
  /** Those that may have something to do before the next round. */
  readonly busy: Set<Consumer>;
  /** It is here from now on, and has something to do. */
  enter(consumer: Consumer): void;
  /** One that is here has something to do. */
  wake(id: Id): Consumer | undefined;
  /** Also one that an earlier life served: an answer came to it, or what a lost key has sealed. */
  meet(id: Id, now: number): Consumer | undefined;
  /** One that nobody knows is a consumer, as the service says: it is told to begin again. */
  vouched(id: Id, now: number): void;
  leave(consumer: Consumer): void;
  clear(): void;
  /** Whether one more may be here: where all places are taken, the silent ones make room. */
  hasRoom(now: number): boolean;
  /** Other books are to be kept. */
  changed(): void;
  changes(): number;
}

/** One that is here says something each few seconds, if only that it is. */
const longestSilence = 30_000;
/** Looking for silent ones takes a while, and strangers may make us look. */
const lookEvery = 1000;
const mostAtOnce = 64;

/** What opens by no key. */
const unopened = {
  kind: 'sealed',
  bytes: noBytes,
  role: sessionRoles.client,
  isCompanion: false,
} as const;

export function createRoster(options: {
  readonly returning: Pick<Returning, 'find' | 'entered'>;
  readonly make: MakeConsumer;
  /** What others keep of it goes, too. */
  readonly onLeft: (consumer: Consumer) => void;
}): Roster {
  const { returning, make } = options;
  const consumers = new Map<Id, Consumer>();
  const busy = new Set<Consumer>();
  let changes = 0;
  let lookAt = Number.NEGATIVE_INFINITY;

  const enter = (consumer: Consumer): void => {
    if (!consumers.has(consumer.id)) {
      consumers.set(consumer.id, consumer);
      returning.entered(consumer.id);
    }
    busy.add(consumer);
  };
  const wake = (id: Id): Consumer | undefined => {
    const consumer = consumers.get(id);
    if (consumer !== undefined) busy.add(consumer);
    return consumer;
  };
  const isFull = (): boolean => consumers.size >= engineLimits.consumers;

  const leave = (consumer: Consumer): void => {
    options.onLeft(consumer);
    consumers.delete(consumer.id);
    busy.delete(consumer);
    changes++;
  };
  const listSilent = (now: number): readonly Consumer[] =>
    [...consumers.values()]
      .filter((consumer) => now - consumer.heardAt() > longestSilence)
      .toSorted((one, other) => (one.heardAt() < other.heardAt() ? -1 : 1))
      .slice(0, mostAtOnce);

  return {
    consumers,
    busy,
    enter,
    wake,
    meet(id, now) {
      const earlier = consumers.has(id) ? undefined : returning.find(id, now);
      if (earlier !== undefined && !isFull()) enter(make(id, earlier));
      return wake(id);
    },
    vouched(id, now) {
      if (consumers.has(id) || isFull()) return;
      const consumer = make(id, undefined, makeUnknownLane());
      enter(consumer);
      consumer.sealing.open(unopened, now);
    },
    leave,
    clear() {
      consumers.clear();
      busy.clear();
    },
    hasRoom(now) {
      if (isFull() && now >= lookAt) {
        lookAt = now + lookEvery;
        for (const consumer of listSilent(now)) leave(consumer);
      }
      return !isFull();
    },
    changed: () => void changes++,
    changes: () => changes,
  };
}
