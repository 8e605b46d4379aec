import { createNumbers } from '../random.ts';

export type Random = ReturnType<typeof createRandom>;

/** Choices that follow from the seed: what went wrong once can be seen again. */
export function createRandom(seed: number) {
  const next = createNumbers(seed);
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    /** A whole number from 0, less than the limit. */
    below,
    chance: (share: number) => next() < share,
    pick: <T>(from: readonly T[]) => from[below(from.length)] as T,
  };
}
