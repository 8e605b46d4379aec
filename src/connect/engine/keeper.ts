import type { Books } from '../contract/account.ts';
import { type KeepMessage, longestLineWithBooks } from './messages.ts';
import { writeMessage } from './read-messages.ts';

/** Has the agent write the books down, one set after the other. */
export interface Keeper {
  /**
   * Resolves once these books, or later ones, are on the disk. Rejects once the signal is aborted,
   * or where they are too long for a line; they may be written down all the same.
   */
  keep(books: Books, signal: AbortSignal): Promise<void>;
  /** True while books are not on the disk: it may be stuck, and each set of them is large. */
  isWaiting(): boolean;
  /** The agent's answer; one to another number is ignored. */
  kept(number: number): void;
}

export interface KeeperOptions {
  /** Takes a line with its line feed. */
  readonly write: (line: string) => void;
  /** What is kept beside the books; read as late as possible. */
  readonly beside: () => Pick<KeepMessage, 'largestId' | 'published'>;
}

export function createKeeper(options: KeeperOptions): Keeper {
  let count = 0;
  let asked: { readonly number: number; readonly resolve: () => void } | undefined;
  let last: Promise<void> = Promise.resolve();
  let waiting = 0;

  const ask = (books: Books): Promise<void> => {
    const number = ++count;
    const toLine = (of: Books): string =>
      writeMessage({ type: 'keep', number, books: of, ...options.beside() });
    const whole = toLine(books);
    // What is paid comes before who is answered at once after a crash.
    const line = isTooLong(whole) ? toLine({ ...books, consumers: [] }) : whole;
    if (isTooLong(line)) throw new Error('the books are too long to be kept');
    const { promise, resolve } = Promise.withResolvers<void>();
    // Before it is written: the answer may come at once.
    asked = { number, resolve };
    options.write(line);
    return promise;
  };

  return {
    keep(books, signal) {
      waiting++;
      const done = last.then(() => ask(books));
      last = done
        .catch(() => undefined)
        .finally(() => {
          waiting--;
        });
      return unlessAborted(done, signal);
    },
    isWaiting: () => waiting > 0,
    kept(number) {
      if (asked?.number === number) asked.resolve();
    },
  };
}

function isTooLong(line: string): boolean {
  return Buffer.byteLength(line) > longestLineWithBooks;
}

async function unlessAborted(done: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(new Error('given up'));
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([done, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
