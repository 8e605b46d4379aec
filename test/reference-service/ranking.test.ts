import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRanking } from '../../src/reference-service/provider-directory.ts';

const row = fc.record({ quality: fc.constantFrom(0, 0.2, 0.5, 1), sequence: fc.nat(30) });

/** One client has one quality, in every list that names it. */
function keepConsistent(rows: readonly { quality: number; sequence: number }[]) {
  const bySequence = new Map(rows.map((one) => [one.sequence, one]));
  return [...bySequence.values()].sort(
    (one, other) => other.quality - one.quality || one.sequence - other.sequence,
  );
}

test('lists that come best first are ranked as if all of them had been sorted', () =>
  fc.assert(
    fc.property(
      fc.array(row),
      fc.infiniteStream(fc.nat(3)),
      fc.integer({ min: 1, max: 12 }),
      (rows, picks, count) => {
        const all = keepConsistent(rows);
        const isWanted = ({ sequence }: { sequence: number }) => sequence % 5 !== 0;
        const ranking = createRanking<{ quality: number; sequence: number }>(count);
        // Some clients are in two lists, some only in the last.
        for (const list of [0, 1, 2])
          ranking.addBestFirst(
            all.filter(() => picks.next().value === list),
            isWanted,
          );
        ranking.addBestFirst(all, isWanted);
        expect(ranking.best).toEqual(all.filter(isWanted).slice(0, count));
      },
    ),
  ));

test('a list is read no further than it can matter', () => {
  const ranking = createRanking<{ quality: number; sequence: number }>(2);
  ranking.addBestFirst(
    [1, 2].map((sequence) => ({ quality: 0.9, sequence })),
    () => true,
  );
  const read: number[] = [];
  function* list() {
    for (let sequence = 3; ; sequence += 1) {
      read.push(sequence);
      yield { quality: 0.5, sequence };
    }
  }
  ranking.addBestFirst(list(), () => true);
  expect(read).toEqual([3]);
  expect(ranking.best.map(({ sequence }) => sequence)).toEqual([1, 2]);
});
