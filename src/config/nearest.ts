import { countEdits } from '../lib/edit-distance.ts';

/** A name far longer than any key is no misspelling, and comparing it is wasted work. */
const longestName = 200;

/** The known name that `name` was most likely meant to be; undefined where none is close. */
export function findNearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > longestName) return undefined;
  const ranked = known
    .map((candidate) => ({ candidate, distance: countEdits(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((one, other) => one.distance - other.distance);
  const { candidate = '', distance = 0 } = ranked[0] ?? {};
  const most = Math.max(1, Math.floor(Math.min(name.length, candidate.length) / 3));
  return distance <= most ? ranked[0]?.candidate : undefined;
}
