import { createNumbers } from '../../random.ts';

/**
 * Numbers from 0 to 1 that can be had again: TRIBUTARY_TEST_SEED, else a new seed, which the test
 * prints.
 */
export function createRandom(): { readonly random: () => number; readonly seed: number } {
  const seed = Number(process.env.TRIBUTARY_TEST_SEED ?? Date.now() % 2 ** 31);
  return { random: createNumbers(seed), seed };
}
