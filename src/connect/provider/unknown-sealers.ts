import { makeClose, openAccount } from '../contract/account.ts';
import { readGranted } from '../contract/read-granted.ts';
import type { ServiceClock } from '../contract/service-clock.ts';
import { sealedLimits } from '../sealed/limits.ts';
import type { Id } from '../wire/id.ts';
import { toId } from '../wire/id.ts';
import { provideModes } from '../wire/message-types.ts';
import type { KnownConsumer } from './consumer-contract.ts';
import type { ContractAsk } from './contract-ask.ts';

/**
 * Those that seal, and that nobody here knows: the books of an earlier life are lost, or older than
 * they are. An honest one goes on like that for ten minutes, and all of it is dropped, so it has to
 * be told to begin again. The service grants a companion contract only by an open contract of that
 * consumer to us, so that one is asked for: by it, a consumer is told from a stranger, of whom
 * nothing is kept and who is answered by nothing. Of asks there are few, however much is sent.
 */
export interface UnknownSealers {
  /** This one has sealed what nobody can open. */
  noticed(id: Id, now: number): void;
  takeAsks(now: number): readonly ContractAsk[];
}

export interface UnknownSealersOptions {
  readonly ownId: Id;
  readonly clock: Pick<ServiceClock, 'createdAt'>;
  /** Consumers are served now. */
  readonly isServing: () => boolean;
  /** It is a consumer of ours. */
  readonly vouched: (id: Id, now: number) => void;
}

/** The least that the service is asked for elsewhere, too; all of it is given back. */
const contractBytes = 1024 * 1024;

/** By which one is answered of which nothing is known. */
export function makeUnknownLane(): KnownConsumer {
  return {
    lane: { forceStream: false, isCompanion: false, number: 0 },
    sequenceId: toId(Buffer.alloc(16)),
    next: () => 0,
    mode: () => provideModes.public,
    heardAt: Number.NEGATIVE_INFINITY,
  };
}

export function createUnknownSealers(options: UnknownSealersOptions): UnknownSealers {
  const { ownId, clock } = options;
  /** Whom the service was asked about, and until when it is not asked again. */
  const asked = new Map<Id, number>();
  let askedAt: number[] = [];
  let asks: ContractAsk[] = [];

  const ask = (id: Id): ContractAsk => {
    let reports: ReturnType<ContractAsk['contracts']['step']>['reports'] = [];
    return {
      destinationId: id,
      transferByteCount: contractBytes,
      isCompanion: true,
      forceStream: false,
      contracts: {
        granted(contract, now) {
          const of = readGranted(contract, { ownId, peerId: id });
          if (of === undefined) return;
          const createdAt = clock.createdAt(of.contractId, now);
          const unused = makeClose(openAccount({ ...of, peerId: id, createdAt }));
          if (unused !== undefined) reports = [unused];
          options.vouched(id, now);
        },
        refused: () => undefined,
        step: () => ({ ask: undefined, reports }),
      },
    };
  };

  return {
    noticed(id, now) {
      if (asked.has(id) || !options.isServing()) return;
      askedAt = askedAt.filter((at) => now - at < sealedLimits.unknownPaceMs);
      if (askedAt.length >= sealedLimits.unknownAsks) return;
      askedAt.push(now);
      asked.set(id, now + sealedLimits.unknownAgainMs);
      asks.push(ask(id));
    },
    takeAsks(now) {
      for (const [id, until] of asked) if (now >= until) asked.delete(id);
      const taken = asks;
      asks = [];
      return taken;
    },
  };
}
