import { type OperationName, operations } from './operations.ts';

/**
 * What was left out of an answer: entries of a list that cannot be read or are too large, and such
 * fields as are not needed.
 */
export interface Unread {
  /** How many entries and fields. */
  readonly count: number;
  /** Says it in one line, with the first of them. No value is quoted. */
  readonly message: string;
}

export type OnUnread = (unread: Unread) => void;

/** Counts what is left out of one answer. */
export interface UnreadTally {
  /** @param what where it was and what was expected there, without its value or a secret */
  add(what: string): void;
  /** Tells the caller, if something was left out. */
  tell(): void;
}

/** The tally of one answer of an operation. */
export function createUnreadTally(
  name: OperationName,
  onUnread: OnUnread | undefined,
): UnreadTally {
  let count = 0;
  let first = '';
  return {
    add(what) {
      if (count === 0) first = what;
      count += 1;
    },
    tell() {
      if (count === 0) return;
      const { method, path } = operations[name];
      const left = count === 1 ? 'one value' : `${count} values`;
      const message = `${method} ${path}: left out ${left} of the answer (${first})`;
      onUnread?.({ count, message });
    },
  };
}
