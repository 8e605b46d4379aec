import type { Figure } from '../figures.ts';
import { computeMedian } from '../medians.ts';
import { type AloneSpeed, startAlone } from './engine-alone.ts';

/** Each way, in each round. */
const megabytes = 150;
const bitsOfGigabyte = 8e9;
/** V8 has compiled by then what both ways have in common, and what they have not. */
const warmUpRounds = 3;
/** Of what one core carries in plaintext, it carries at least 85 % sealed. */
const mostCost = 1 / 0.85;

/**
 * What a gigabyte costs the engine alone, sealed and in plaintext, in turn: in one process,
 * without sockets, kernel and the consumer's time.
 */
export async function measureSealed(of: { readonly rounds: number }): Promise<readonly Figure[]> {
  const [sealed, plaintext] = [await startAlone('sealed'), await startAlone('plaintext')];
  for (let round = 0; round < warmUpRounds; round += 1)
    for (const one of [sealed, plaintext]) one(megabytes);
  const samples: { sealed: AloneSpeed; plaintext: AloneSpeed }[] = [];
  for (let round = 0; round < of.rounds; round += 1)
    samples.push({ sealed: sealed(megabytes), plaintext: plaintext(megabytes) });
  const toFigure = (name: string, what: keyof AloneSpeed): Figure => {
    const costs = samples.map((one) => one.plaintext[what] / one.sealed[what]);
    const toSeconds = (by: 'sealed' | 'plaintext') =>
      bitsOfGigabyte / computeMedian(samples.map((one) => one[by][what])) / 1e6;
    return {
      name,
      value: toSeconds('sealed'),
      unit: 'seconds',
      beside: { name: 'plaintext', value: toSeconds('plaintext') },
      goal: { of: 'ratio', most: mostCost },
      note: `${Math.min(...costs).toFixed(2)} to ${Math.max(...costs).toFixed(2)}`,
    };
  };
  return [
    toFigure('sealed, CPU of a gigabyte: down', 'downMegabitsPerSecond'),
    toFigure('  up', 'upMegabitsPerSecond'),
  ];
}
