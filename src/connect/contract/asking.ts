/** When to ask the service for a contract, and for how many bytes. One ask is open at a time. */
export interface Asking {
  /** The bytes to ask for now; undefined where it is not time. An ask is open then. */
  ask(wanted: Wanted, now: number): number | undefined;
  granted(): void;
  refused(now: number): void;
  /** A contract was opened: the next one may be larger. */
  opened(): void;
  /** The last answer was a refusal. */
  wasRefused(): boolean;
  /** What led to refusals has changed: ask at once. */
  forgetRefusals(): void;
  /** For what asks the same next; undefined after a grant. */
  refusals(): Refusals | undefined;
  /** An answer is still to come soon, or can be asked for soon. */
  mayBringAnother(now: number): boolean;
}

/** Refusals one after the other, and when the last one came. */
export interface Refusals {
  readonly count: number;
  readonly lastAt: number;
}

interface Wanted {
  /** Bytes that the contract has to carry, at least. */
  readonly bytes: number;
  /** There is another contract to go on with: after a refusal there is no hurry. */
  readonly hasSpare: boolean;
}

const mebibyte = 1024 * 1024;
/** The first contract of a sequence; most consumers need no more. */
const firstBytes = mebibyte;
const mostBytes = 128 * mebibyte;
/** The service grants no more in one contract. */
const largestBytes = 256 * mebibyte;
/**
 * With each contract that was opened, the next is larger by a quarter of the way to the largest.
 */
const steps = 4;
/** Waits after refusals in ms; the last one is repeated. */
const retries = [1000, 2000, 4000, 5000] as const;
/** While spares carry the consumer, the service is asked again so often. */
const easyRetry = 30_000;
/** An answer that takes longer is not waited for where a spare is there, old as it may be. */
const longestWait = 1500;

/** @param mayAsk whether there may be one more ask now; asking it counts */
export function createAsking(earlier?: Refusals, mayAsk = (_now: number) => true): Asking {
  let openedCount = 0;
  let refusals = earlier?.count ?? 0;
  let isOpen = false;
  let refusedAt = earlier?.lastAt ?? Number.NEGATIVE_INFINITY;
  let askedAt = Number.NEGATIVE_INFINITY;

  const retryAt = ({ hasSpare }: Pick<Wanted, 'hasSpare'>): number => {
    const wait = retries[Math.min(refusals, retries.length) - 1];
    if (wait === undefined) return Number.NEGATIVE_INFINITY;
    return refusedAt + (hasSpare ? easyRetry : wait);
  };

  return {
    ask({ bytes, hasSpare }, now) {
      if (isOpen || now < retryAt({ hasSpare }) || !mayAsk(now)) return undefined;
      isOpen = true;
      askedAt = now;
      const step = Math.min(steps, openedCount) / steps;
      // After a refusal the least is asked for: the consumer may not be able to pay more.
      if (refusals > 0) return firstBytes;
      const grown = Math.floor(firstBytes + step * (mostBytes - firstBytes));
      return Math.min(largestBytes, Math.max(grown, Math.ceil(1.25 * bytes) + 33));
    },
    granted() {
      isOpen = false;
      refusals = 0;
    },
    refused(now) {
      isOpen = false;
      refusals++;
      refusedAt = now;
    },
    opened() {
      openedCount++;
    },
    wasRefused: () => refusals > 0,
    forgetRefusals() {
      refusals = 0;
    },
    refusals: () => (refusals === 0 ? undefined : { count: refusals, lastAt: refusedAt }),
    mayBringAnother: (now) => (isOpen ? now - askedAt < longestWait : refusals === 0),
  };
}
