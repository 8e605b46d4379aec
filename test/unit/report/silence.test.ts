import { expect, test } from 'vitest';
import { measureSilence } from '../../../src/report/history.ts';
import { makeHistoryRow } from '../../../tools/docs/sample-history-row.ts';
import { hourMs, startMs } from './ledger-world.ts';

/** Hours from the start on: seconds of providing, and bytes up and down. */
const toRows = (
  hours: readonly (readonly [providingSeconds: number, upBytes: number, downBytes: number])[],
) =>
  hours.map(([providingSeconds, upBytes, downBytes], index) =>
    makeHistoryRow({ startMs: startMs + index * hourMs, providingSeconds, upBytes, downBytes }),
  );
const at = (hour: number) => new Date(startMs + hour * hourMs);

test.each([
  ['no hours', [], undefined],
  ['an hour with a byte up', [[3600, 1, 0]], undefined],
  ['an hour with a byte down', [[3600, 0, 1]], undefined],
  ['hours in which nothing was provided', [[0, 0, 0]], undefined],
  ['one silent hour', [[1800, 0, 0]], { since: at(0), providingSeconds: 1800 }],
  [
    'silent hours after one with a byte',
    [
      [3600, 0, 0],
      [3600, 1, 0],
      [3600, 0, 0],
      [600, 0, 0],
    ],
    { since: at(2), providingSeconds: 4200 },
  ],
  [
    'a schedule that holds it back in between',
    [
      [3600, 5, 5],
      [0, 0, 0],
      [3600, 0, 0],
      [0, 0, 0],
      [3600, 0, 0],
    ],
    { since: at(2), providingSeconds: 7200 },
  ],
] as const)('%s', (_, hours, silence) => {
  expect(measureSilence(toRows(hours))).toEqual(silence);
});
