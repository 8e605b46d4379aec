/** What a broker still has to answer, in the order in which it was asked. */
export interface OwedAnswers {
  /** Notes a request, in words for a reason. Returns the number to send with it. */
  readonly add: (what: string) => number;
  readonly addPing: () => void;
  readonly settle: (id: number | 'ping') => void;
  /** The words of the oldest request without an answer; undefined when none waits. */
  readonly oldest: () => string | undefined;
  /** Resolves when nothing is owed any more. */
  readonly settled: () => Promise<void>;
  /** Nothing is expected from now on. */
  readonly forgive: () => void;
}

const largestId = 0xffff;

/** Calls `onSilence` when an answer is owed and none has come for `patienceMs`. */
export function createOwedAnswers(patienceMs: number, onSilence: () => void): OwedAnswers {
  const requests = new Map<number | 'ping', string>();
  let lastId = 0;
  let timer: NodeJS.Timeout | undefined;
  let waiting: (() => void)[] = [];
  const watch = () => {
    timer ??= setTimeout(onSilence, patienceMs);
  };
  const rest = () => {
    clearTimeout(timer);
    timer = undefined;
    for (const resolve of waiting) resolve();
    waiting = [];
  };
  return {
    add(what) {
      do {
        lastId = (lastId % largestId) + 1;
      } while (requests.has(lastId));
      requests.set(lastId, what);
      watch();
      return lastId;
    },
    addPing() {
      requests.set('ping', 'a ping');
      watch();
    },
    settle(id) {
      if (!requests.delete(id)) return;
      if (requests.size === 0) rest();
      else timer?.refresh();
    },
    oldest: () => requests.values().next().value,
    settled: () =>
      requests.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
    forgive() {
      requests.clear();
      rest();
    },
  };
}
