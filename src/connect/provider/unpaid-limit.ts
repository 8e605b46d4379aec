import { isAtLimit, type Renewals } from './renewal.ts';

/** What one consumer has carried unpaid since its newest contract, against the owner's limit. */
export interface UnpaidLimit {
  /** The consumer has a new contract. */
  anchored(): void;
  isReached(of: { readonly isRunningOut: boolean }): boolean;
}

/** `sum` gives all that the consumer has carried unpaid; it never shrinks. */
export function createUnpaidLimit(options: {
  readonly sum: () => number;
  readonly mostUnpaidBytes: number;
  readonly renewals: Renewals;
}): UnpaidLimit {
  const { sum, mostUnpaidBytes, renewals } = options;
  /** All of it when the newest contract came, and when it was counted last. */
  let before = 0;
  let counted = 0;
  return {
    anchored() {
      before = sum();
    },
    isReached({ isRunningOut }) {
      const all = sum();
      renewals.bridgedBytes += all - counted;
      counted = all;
      return isAtLimit({ unpaidBytes: all - before, mostUnpaidBytes, isRunningOut });
    },
  };
}
