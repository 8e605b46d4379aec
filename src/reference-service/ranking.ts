/** What is ranked: by quality (0 to 1), and of equals the one that was registered earlier. */
interface Ranked {
  readonly quality: number;
  /** One client's alone; lower for one that was registered earlier. */
  readonly sequence: number;
}

/** The best of all that it is shown, each once. */
export interface Ranking<T extends Ranked> {
  /** Best first. */
  readonly best: readonly T[];
  /** Reads rows that come best first, and only as far as they can still be among the best. */
  addBestFirst(rows: Iterable<T>, fits: (row: T) => boolean): void;
}

/** A ranking that keeps `count`. */
export function createRanking<T extends Ranked>(count: number): Ranking<T> {
  const best: T[] = [];
  return {
    best,
    addBestFirst(rows, fits) {
      for (const row of rows) {
        const place = best.findLastIndex((other) => compare(other, row) <= 0) + 1;
        if (place >= count) break;
        if (best[place - 1]?.sequence === row.sequence || !fits(row)) continue;
        best.splice(place, 0, row);
        if (best.length > count) best.pop();
      }
    },
  };
}

function compare(one: Ranked, other: Ranked): number {
  return other.quality - one.quality || one.sequence - other.sequence;
}
