import { type ConsumerData, mostAddressesKept } from '../contract/consumer-data.ts';
import { type ProvideWish, publishedModes } from '../contract/secrets.ts';
import type { AddressPair } from '../packet/address-pool.ts';
import { fromUuid, type Id, toUuid } from '../wire/id.ts';
import type { ProvideMode } from '../wire/message-types.ts';
import { fromLaneKey, toLaneKey } from '../wire/pack.ts';
import type { Consumer, KnownConsumer } from './consumer-contract.ts';
import { engineLimits } from './limits.ts';
import type { Translation } from './translation.ts';

/**
 * Consumers of an earlier life that have neither sent anything nor been sent anything since. Their
 * addresses are theirs all the while: a server may be sending to them, and what it sends is for
 * nobody else.
 */
export interface Returning {
  /** Undefined for everybody else, and after the time for which a silent consumer is kept. */
  find(id: Id, now: number): KnownConsumer | undefined;
  /** It is here again: its addresses are released when it is gone, and no longer from here. */
  entered(id: Id): void;
  /** Gives back the addresses of those that are kept no longer. */
  forget(now: number): void;
  /** Forgets those whose mode is not published for this wish. */
  narrow(wish: ProvideWish): void;
  save(): readonly ConsumerData[];
}

/** A consumer that is silent for so long is forgotten, as its lanes are in one life. */
const keptFor = 120_000;

export function createReturning(options: {
  readonly earlier: readonly ConsumerData[];
  readonly wish: ProvideWish;
  readonly translation: Pick<Translation, 'restore' | 'release'>;
}): Returning {
  const { translation } = options;
  const kept = new Map<Id, ConsumerData>();
  for (const data of options.earlier) {
    const id = fromUuid(data.peer);
    if (findMode(data, options.wish) === undefined || kept.has(id)) continue;
    if (translation.restore(id, data.addresses.map(toPair))) kept.set(id, data);
  }
  const forgetIf = (isOver: (data: ConsumerData) => boolean): void => {
    for (const [id, data] of kept) {
      if (!isOver(data)) continue;
      kept.delete(id);
      translation.release(id);
    }
  };

  return {
    find(id, now) {
      const data = kept.get(id);
      return data === undefined || now - data.heardAt >= keptFor ? undefined : toKnown(data);
    },
    entered: (id) => void kept.delete(id),
    forget: (now) => forgetIf(({ heardAt }) => now - heardAt >= keptFor),
    narrow: (wish) => forgetIf((data) => findMode(data, wish) === undefined),
    save: () => [...kept.values()],
  };
}

/** Who is here, and who may come again: what a later life needs to answer them. */
export function listKnown(of: {
  readonly consumers: Iterable<Consumer>;
  readonly translation: Pick<Translation, 'pairs'>;
  readonly returning: Returning;
}): readonly ConsumerData[] {
  const here = [...of.consumers].flatMap((consumer) =>
    saveKnown(consumer, of.translation.pairs(consumer.id)),
  );
  return [...here, ...of.returning.save()].slice(0, engineLimits.consumers);
}

/** Nothing where it could not be answered anyway. */
function saveKnown(
  consumer: Pick<Consumer, 'id' | 'known'>,
  pairs: readonly AddressPair[],
): readonly ConsumerData[] {
  const known = consumer.known();
  const mode = known?.mode();
  if (known === undefined || mode === undefined || pairs.length === 0) return [];
  return [
    {
      peer: toUuid(consumer.id),
      sequence: toUuid(known.sequenceId),
      next: known.next(),
      lane: toLaneKey(known.lane),
      mode,
      heardAt: known.heardAt,
      addresses: pairs
        .slice(0, mostAddressesKept)
        .map(({ inner, outer }) => `${inner.toString('hex')}:${outer.toString('hex')}`),
    },
  ];
}

function toKnown(data: ConsumerData): KnownConsumer {
  const mode = findMode(data, 'public');
  return {
    lane: fromLaneKey(data.lane),
    sequenceId: fromUuid(data.sequence),
    next: () => data.next ?? 0,
    mode: () => mode,
    heardAt: data.heardAt,
  };
}

function toPair(text: string): AddressPair {
  const [inner = '', outer = ''] = text.split(':');
  return { inner: Buffer.from(inner, 'hex'), outer: Buffer.from(outer, 'hex') };
}

function findMode({ mode }: ConsumerData, wish: ProvideWish): ProvideMode | undefined {
  return publishedModes[wish].find((published) => published === mode);
}
