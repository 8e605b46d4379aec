import type { EpochFailure } from '../sealed/epoch.ts';
import type { Consumer } from './consumer-contract.ts';

/** What was sealed for all consumers, those that are gone included. */
export interface SealingCounters {
  /** Consumers that are answered sealed now. */
  readonly sealedConsumers: number;
  /** Handshakes that consumers began, and those by which both ends have proven who they are. */
  readonly handshakes: number;
  readonly proven: number;
  /** Those that were given up, by reason. */
  readonly refused: Readonly<Partial<Record<EpochFailure, number>>>;
  /** Messages; of those that came, some are opened by no key. */
  readonly sealed: number;
  readonly opened: number;
  readonly unopened: number;
  /** How long sealing and opening them took, in ms. */
  readonly workMs: number;
}

/** Adds up over consumers, also over those that leave. */
export interface SealingSums {
  /** It is gone: what it counted is kept. */
  left(consumer: Pick<Consumer, 'sealing'>): void;
  sum(consumers: Iterable<Pick<Consumer, 'sealing'>>): SealingCounters;
}

const none: SealingCounters = {
  sealedConsumers: 0,
  handshakes: 0,
  proven: 0,
  refused: {},
  sealed: 0,
  opened: 0,
  unopened: 0,
  workMs: 0,
};

/** @param workMs of all of them */
export function createSealingSums(workMs: () => number): SealingSums {
  let gone = none;
  return {
    left(consumer) {
      gone = { ...add(gone, consumer), sealedConsumers: 0 };
    },
    sum(consumers) {
      let sum = gone;
      for (const consumer of consumers) sum = add(sum, consumer);
      return { ...sum, workMs: workMs() };
    },
  };
}

function add(sum: SealingCounters, { sealing }: Pick<Consumer, 'sealing'>): SealingCounters {
  const own = sealing.counters();
  if (own === undefined) return sum;
  const refused = { ...sum.refused };
  for (const [why, count] of Object.entries(own.failed) as [EpochFailure, number][])
    refused[why] = (refused[why] ?? 0) + count;
  return {
    sealedConsumers: sum.sealedConsumers + Number(sealing.isSealed()),
    handshakes: sum.handshakes + own.handshakes,
    proven: sum.proven + own.proven,
    refused,
    sealed: sum.sealed + own.sealed,
    opened: sum.opened + own.opened,
    unopened: sum.unopened + own.unopened,
    workMs: 0,
  };
}
