import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addMinute,
  countMinutes,
  countsAsValid,
  type MinuteRecord,
  minutesOfWeek,
  openMinute,
  seeInMinute,
} from '../../../../src/source/connect/minutes.ts';
import type { Sighting } from '../../../../src/source/connect/protocol.ts';

const empty: MinuteRecord = { since: 100_000, spans: [] };
const addAll = (record: MinuteRecord, minutes: readonly number[]) =>
  minutes.reduce(addMinute, record);

describe('a minute', () => {
  const connection: Sighting = { kind: 'noted', isFirst: true, aheadMs: 0 };
  const presence: Sighting = { kind: 'noted', isFirst: false, aheadMs: 0 };
  const judge = (sightings: readonly Sighting[], isPublished = true) =>
    countsAsValid(
      sightings.reduce(
        (open, sighting) => seeInMinute(open, { sighting, isPublished }),
        openMinute(1),
      ),
    );

  test.each<[string, readonly Sighting[], boolean]>([
    ['with a connection that goes on', [presence], true],
    ['with a new connection', [connection], true],
    ['with one that ended and a new one', [presence, connection], true],
    ['with two new connections', [connection, presence, connection], false],
    ['in which it published something else', [presence, { kind: 'changed' }], false],
    ['without a connection', [{ kind: 'latency-test' }], false],
  ])('%s: %#', (_, sightings, isValid) => {
    expect(judge(sightings)).toBe(isValid);
  });

  test('in which nothing was published does not count', () => {
    expect(judge([presence], false)).toBe(false);
  });
});

describe('the record of a week', () => {
  test('counts the minutes of a window that it knows, without the present one', () => {
    const record = addAll(empty, [100_000, 100_001, 100_003, 100_010]);
    expect(record.spans).toEqual([
      { from: 100_000, to: 100_002 },
      { from: 100_003, to: 100_004 },
      { from: 100_010, to: 100_011 },
    ]);
    const count = (end: number) => countMinutes(record, { window: 10, end });
    expect(count(100_000)).toEqual({ valid: 0, known: 0 });
    expect(count(100_003)).toEqual({ valid: 2, known: 3 });
    expect(count(100_011)).toEqual({ valid: 3, known: 10 });
    expect(count(100_050)).toEqual({ valid: 0, known: 10 });
  });

  test('holds what a plain list of minutes would, however they come', async () => {
    await fc.assert(
      fc.property(
        fc.array(fc.nat(3), { maxLength: 60 }),
        fc.integer({ min: 1, max: 80 }),
        (steps, window) => {
          let minute = empty.since;
          const minutes = steps.map((step) => {
            minute += step;
            return minute;
          });
          const end = minute + 1;
          const expected = new Set(minutes.filter((one) => one >= end - window)).size;
          expect(countMinutes(addAll(empty, minutes), { window, end }).valid).toBe(expected);
        },
      ),
    );
  });

  test('forgets what is older than a week', () => {
    const record = addAll(empty, [100_000, 100_001, 100_002 + minutesOfWeek]);
    expect(record.spans).toEqual([{ from: 100_002 + minutesOfWeek, to: 100_003 + minutesOfWeek }]);
  });

  test('forgets what a clock noted that was ahead', () => {
    const record = addAll(empty, [100_000, 100_001, 101_000, 100_002]);
    expect(record.spans).toEqual([{ from: 100_000, to: 100_003 }]);
    expect(addMinute(record, 100_001).spans).toEqual([{ from: 100_000, to: 100_002 }]);
  });
});
