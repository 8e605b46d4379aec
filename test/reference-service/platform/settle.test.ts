import { expect, test } from 'vitest';
import {
  addReport,
  forceClose,
  type Side,
  settle,
} from '../../../src/reference-service/platform/settle.ts';

const million = 1_000_000;
const mebibyte = 1024 * 1024;
const byteCount = 256 * mebibyte;
const nothing: Side = { state: 'unreported', bytes: 0 };
const checkpoint = (bytes: number): Side => ({ state: 'checkpoint', bytes });
const closed = (bytes: number): Side => ({ state: 'closed', bytes });

test.each<readonly [string, Side, Side, number | 'open' | 'disputed']>([
  ['a close by one side waits for the other', closed(5 * million), nothing, 'open'],
  ['checkpoints of both sides settle nothing', checkpoint(5), checkpoint(5), 'open'],
  ['two closes are paid by their mean', closed(4 * million), closed(5 * million), 4.5 * million],
  ['a difference of 16 MiB is paid at once', closed(0), closed(16 * mebibyte), 8 * mebibyte],
  ['one byte more is a dispute', closed(0), closed(16 * mebibyte + 1), 'disputed'],
  ['more than the contract is paid by nothing', closed(byteCount + 1), closed(byteCount), 0],
])('%s', (_, source, destination, expected) => {
  const settlement = settle({ source, destination }, byteCount);
  expect(settlement.kind === 'settled' ? settlement.bytes : settlement.kind).toBe(expected);
});

test.each<readonly [string, Side, Side, readonly number[]]>([
  ['nobody reported', nothing, nothing, [0]],
  ['a checkpoint of one side', nothing, checkpoint(5 * million), [5 * million]],
  ['a close of one side', nothing, closed(5 * million), [5 * million]],
  ['the consumer alone reported', closed(4 * million), nothing, [4 * million]],
  ['two checkpoints', checkpoint(5 * million), checkpoint(4 * million), [4.5 * million]],
  ['a checkpoint and a close', checkpoint(5 * million), closed(4 * million), [4.5 * million]],
  ['too much', nothing, closed(byteCount + 1), [0]],
])('a force close where there is %s', (_, source, destination, [expected]) => {
  const passes = [];
  let settlement = forceClose({ source, destination }, byteCount);
  for (passes.push(settlement); settlement.kind === 'open'; passes.push(settlement))
    settlement = forceClose(settlement.sides, byteCount);
  expect(settlement).toMatchObject({ kind: 'settled', bytes: expected });
  // What only one side noted on its way is settled by the second pass.
  const isLoneCheckpoint =
    [source, destination].includes(nothing) &&
    [source, destination].some(({ state }) => state === 'checkpoint');
  expect(passes.length).toBe(isLoneCheckpoint ? 2 : 1);
});

test('checkpoints add up, a close adds its part, and nothing is added after it', () => {
  const first = addReport(nothing, { bytes: 3, isCheckpoint: true });
  const second = addReport(first, { bytes: 2, isCheckpoint: true });
  expect(second).toEqual(checkpoint(5));
  const last = addReport(second, { bytes: 1, isCheckpoint: false });
  expect(last).toEqual(closed(6));
  expect(addReport(last, { bytes: 2, isCheckpoint: false })).toEqual(closed(6));
});
