import { fromUuid, type Id, toMadeAt, toUuid } from '../wire/id.ts';

/**
 * Consumers' contracts that are finished, so that none is carried a second time, also by a later
 * life. Ids grow with the time at which the service made them: the oldest are forgotten first, and
 * from then on whatever is not newer than one that was forgotten counts as finished, too.
 */
export interface FinishedContracts {
  add(contractId: Id): void;
  has(contractId: Id): boolean;
  /** It may have been one of those that were forgotten. */
  isTooOld(contractId: Id): boolean;
  /** @param newest the contract that came last: what is much older than that is forgotten */
  save(newest: Id | undefined): FinishedData;
}

/** What was finished, as data to keep. */
export interface FinishedData {
  readonly contracts: readonly string[];
  /** It was forgotten, and so was all that is not newer; null where nothing was. */
  readonly forgottenUpTo: string | null;
}

/**
 * An honest consumer shows a contract within seconds after it was made. Books are written each
 * minute, so no more is kept in them than a house has in an hour, and never more than 160 kB.
 */
const rememberedFor = 60 * 60 * 1000;
export const mostFinishedKept = 4096;
/** So many at once, since the oldest are found by sorting. */
const forgottenAtOnce = 512;

export function createFinishedContracts(earlier?: FinishedData): FinishedContracts {
  const finished = new Set<Id>((earlier?.contracts ?? []).map(fromUuid));
  let upTo = earlier?.forgottenUpTo == null ? undefined : fromUuid(earlier.forgottenUpTo);

  const forget = (contracts: readonly Id[]): void => {
    for (const contractId of contracts) {
      finished.delete(contractId);
      if (upTo === undefined || contractId > upTo) upTo = contractId;
    }
  };
  const forgetBefore = (madeAt: number): void =>
    forget([...finished].filter((contractId) => toMadeAt(contractId) < madeAt));

  return {
    add(contractId) {
      finished.add(contractId);
      if (finished.size > mostFinishedKept)
        forget([...finished].toSorted().slice(0, forgottenAtOnce));
    },
    has: (contractId) => finished.has(contractId),
    isTooOld: (contractId) => upTo !== undefined && contractId <= upTo,
    save(newest) {
      if (newest !== undefined) forgetBefore(toMadeAt(newest) - rememberedFor);
      return {
        contracts: [...finished].map(toUuid),
        forgottenUpTo: upTo === undefined ? null : toUuid(upTo),
      };
    },
  };
}
