/** The maps and sets that were made while they were watched, by the file that makes them. */
export interface WatchedCollections {
  /** Entries of those that are still there, by file of `src/connect`: `contract/incoming.ts`. */
  count(): Readonly<Record<string, number>>;
  /** Ends the watch; what was made until then is still counted. */
  [Symbol.dispose](): void;
}

/**
 * Watches every map and set that `src/connect` makes from now on, also those that nobody thought
 * of. What is of no use any more has to be collected before it is counted.
 */
export function watchCollections(): WatchedCollections {
  const made = new Map<string, WeakRef<{ readonly size: number }>[]>();
  const own = { Map: globalThis.Map, Set: globalThis.Set };
  const note = (one: { readonly size: number }): void => {
    const place = findPlace();
    if (place === undefined) return;
    const known = made.get(place) ?? [];
    known.push(new WeakRef(one));
    made.set(place, known);
  };
  globalThis.Map = class<Key, Value> extends own.Map<Key, Value> {
    constructor(entries?: Iterable<readonly [Key, Value]> | null) {
      super(entries);
      note(this);
    }
  } as MapConstructor;
  globalThis.Set = class<Value> extends own.Set<Value> {
    constructor(values?: Iterable<Value> | null) {
      super(values);
      note(this);
    }
  } as SetConstructor;

  return {
    count() {
      const counts: Record<string, number> = {};
      for (const [place, all] of made) {
        const there = all.filter((one) => one.deref() !== undefined);
        made.set(place, there);
        counts[place] = there.reduce((sum, one) => sum + (one.deref()?.size ?? 0), 0);
      }
      return counts;
    },
    [Symbol.dispose]() {
      Object.assign(globalThis, own);
    },
  };
}

const inConnect = /\/src\/connect\/([\w-]+\/[\w-]+\.ts):\d+/;

/** Where in `src/connect` the collection is made; undefined for one that is made elsewhere. */
function findPlace(): string | undefined {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 4;
  const lines = new Error('made here').stack?.split('\n') ?? [];
  Error.stackTraceLimit = limit;
  // The message, this function, `note`, the class, and then who makes it.
  return inConnect.exec(lines[4] ?? '')?.[1];
}
