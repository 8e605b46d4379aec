/** Finds times in which something waits and nothing is sent. */
export interface HoleWatch {
  /** True once for each hole, when it has become one. */
  look(of: { readonly queuedBytes: number; readonly packs: number }, now: number): boolean;
}

/** A consumer's program begins to doubt an identity that is silent for longer. */
const shortestHole = 2000;

export function createHoleWatch(): HoleWatch {
  let packs = -1;
  let since = Number.NEGATIVE_INFINITY;
  let isCounted = false;
  return {
    look(of, now) {
      if (of.queuedBytes === 0 || of.packs !== packs) {
        packs = of.packs;
        since = now;
        isCounted = false;
        return false;
      }
      if (isCounted || now - since < shortestHole) return false;
      isCounted = true;
      return true;
    },
  };
}
