/** Numbers from 0 to 1 that can be had again: TRIBUTARY_TEST_SEED, else a new seed, which the test prints. */
export function createRandom(): { readonly random: () => number; readonly seed: number } {
  const seed = Number(process.env.TRIBUTARY_TEST_SEED ?? Date.now() % 2 ** 31);
  let state = seed;
  const random = () => {
    // mulberry32, which is public domain and short.
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { random, seed };
}
