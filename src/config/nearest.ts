import { countEdits } from '../lib/edit-distance.ts';

/** A name far longer than any key is no misspelling, and comparing it is wasted work. */
const longestName = 200;

/** The known name that `name` was most likely meant to be; undefined where none is close. */
export function toNearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > longestName) return undefined;
  const ranked = known
    .map((candidate) => ({ candidate, distance: countEdits(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((one, other) => one.distance - other.distance);
  const best = ranked[0];
  if (best === undefined) return undefined;
  return best.distance <= Math.max(1, Math.floor(Math.min(name.length, best.candidate.length) / 3))
    ? best.candidate
    : undefined;
}
