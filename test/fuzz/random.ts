export type Random = ReturnType<typeof createRandom>;

/** Numbers that follow from the seed (mulberry32): what went wrong once can be seen again. */
export function createRandom(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    /** A whole number from 0, less than the limit. */
    below,
    chance: (share: number) => next() < share,
    pick: <T>(from: readonly T[]) => from[below(from.length)] as T,
  };
}
