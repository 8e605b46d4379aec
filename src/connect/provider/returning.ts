import { type ConsumerData, mostAddressesKept } from '../contract/consumer-data.ts';
import { type ProvideWish, publishedModes } from '../contract/secrets.ts';
import type { AddressPair } from '../packet/address-pool.ts';
import { sealedLimits } from '../sealed/limits.ts';
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
  /**
   * Undefined for everybody else, after the time for which a silent consumer is kept, and while its
   * mode is not published.
   */
  find(id: Id, now: number): KnownConsumer | undefined;
  /** Also one that is not found now. */
  has(id: Id): boolean;
  /** It is here again: its addresses are released when it is gone, and no longer from here. */
  entered(id: Id): void;
  /** Gives back the addresses of those that are kept no longer. */
  forget(now: number): void;
  /**
   * From now on those are found whose mode is published for this wish. Others stay: they may be
   * wished for again before they know that they were not, as where a larger cap follows on one
   * that is used up.
   */
  setWish(wish: ProvideWish): void;
  save(): readonly ConsumerData[];
}

/** A consumer that is silent for so long is forgotten, as its lanes are in one life. */
const keptFor = 120_000;
/** One that seals is kept as long as its key is: it goes on to seal by one that this life lacks. */
const isOver = ({ heardAt, seals }: ConsumerData, now: number): boolean =>
  now - heardAt >= (seals === true ? sealedLimits.keyKeptMs : keptFor);

export function createReturning(options: {
  readonly earlier: readonly ConsumerData[];
  readonly wish: ProvideWish;
  readonly translation: Pick<Translation, 'restore' | 'release'>;
}): Returning {
  const { translation } = options;
  let { wish } = options;
  const kept = new Map<Id, ConsumerData>();
  for (const data of options.earlier) {
    const id = fromUuid(data.peer);
    if (kept.has(id)) continue;
    if (translation.restore(id, data.addresses.map(toPair))) kept.set(id, data);
  }

  return {
    find(id, now) {
      const data = kept.get(id);
      if (data === undefined || isOver(data, now)) return undefined;
      return findMode(data, wish) === undefined ? undefined : toKnown(data);
    },
    has: (id) => kept.has(id),
    entered: (id) => void kept.delete(id),
    forget(now) {
      for (const [id, data] of kept) {
        if (!isOver(data, now)) continue;
        kept.delete(id);
        translation.release(id);
      }
    },
    setWish(next) {
      wish = next;
    },
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
  consumer: Pick<Consumer, 'id' | 'known' | 'sealing'>,
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
      ...(consumer.sealing.hasKey() ? { seals: true } : {}),
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
