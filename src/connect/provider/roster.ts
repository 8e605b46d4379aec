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
  isFull(): boolean;
  /** Other books are to be kept. */
  changed(): void;
  changes(): number;
}

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
}): Roster {
  const { returning, make } = options;
  const consumers = new Map<Id, Consumer>();
  const busy = new Set<Consumer>();
  let changes = 0;

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
    leave(consumer) {
      consumers.delete(consumer.id);
      busy.delete(consumer);
      changes++;
    },
    clear() {
      consumers.clear();
      busy.clear();
    },
    isFull,
    changed: () => void changes++,
    changes: () => changes,
  };
}
