import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Sighting } from '../../../../src/connect/socket/sighting.ts';
import {
  addMinute,
  countMinutes,
  countsAsValid,
  type MinuteRecord,
  openMinute,
  seeInMinute,
  toMinute,
} from '../../../../src/source/connect/minutes.ts';
import { judgeStanding } from '../../../../src/source/connect/standing.ts';
import { openMarket } from '../../../reference-service/platform/market-world.ts';
import { createWeekWorld } from '../../../reference-service/platform/week-world.ts';

const minute = 60_000;
const hour = 60 * minute;

/** What the agent tells its owner of a device that is there and provides to everybody. */
function believesListed(record: MinuteRecord, minuteNow: number): boolean {
  const facts = { record, minute: minuteNow, isConnected: true, wish: 'public' } as const;
  const { standing } = judgeStanding(facts);
  return standing === 'listed' || standing === 'at-risk';
}

test("the agent's estimate of its minutes is the service's answer, whatever minutes were lost", async () => {
  const world = openMarket();
  world.connect();
  const lossEvery = fc.constantFrom(1, 2, 3, 15, 18, 20, 1000);
  // It begins near what half a day asks for.
  const begin = fc.record({ minutes: fc.integer({ min: 470, max: 530 }), lossEvery });
  const stretch = fc.record({ minutes: fc.nat({ max: 70 }), lossEvery });
  await fc.assert(
    fc.property(begin, fc.array(stretch, { maxLength: 8 }), (first, others) => {
      // All of an earlier run is too long ago to count.
      world.skip(720);
      let record: MinuteRecord = { since: world.minute(), spans: [] };
      for (const { minutes, lossEvery: every } of [first, ...others])
        for (let index = 0; index < minutes; index++) {
          const isValid = (index + 1) % every !== 0;
          if (isValid) record = addMinute(record, world.minute());
          world.pass(isValid);
          expect(believesListed(record, world.minute())).toBe(world.isFound());
        }
    }),
    { numRuns: 10, endOnFailure: true },
  );
});

/** What the agent makes of what a device sees of itself. */
function createOwnRecord(now: () => number) {
  let record: MinuteRecord = { since: toMinute(new Date(now())), spans: [] };
  let present = openMinute(record.since);
  /** Judges a minute that is over; gives the present one. */
  const settle = (): number => {
    const current = toMinute(new Date(now()));
    if (present.minute === current) return current;
    if (countsAsValid(present)) record = addMinute(record, present.minute);
    present = openMinute(current);
    return current;
  };
  return {
    see(sighting: Sighting): void {
      settle();
      present = seeInMinute(present, { sighting, isPublished: true });
    },
    /** How many of so many whole minutes count. */
    count(window: number): number {
      const end = settle();
      return countMinutes(record, { window, end }).valid;
    },
    isListed(): boolean {
      const minuteNow = settle();
      return believesListed(record, minuteNow);
    },
  };
}

test('it is the answer also over restarts, a drain and a bad night, by what the device sees', async () => {
  let record: ReturnType<typeof createOwnRecord> | undefined;
  const world = createWeekWorld({ seed: 4, onSeen: (sighting) => record?.see(sighting) });
  record = createOwnRecord(world.wallMs);
  const events: readonly (readonly [number, () => void | Promise<void>])[] = [
    ...[1.5, 11, 13.02, 20].flatMap((at) => [
      [at * hour, world.stop] as const,
      [at * hour + 3000, world.start] as const,
    ]),
    [5 * hour, world.drain],
    // The line is out for half an hour: too much of the last hour is lost.
    ...[14, 14.1, 14.2, 14.3, 14.4].map(
      (at) => [at * hour, () => world.line.die(6 * minute)] as const,
    ),
    ...Array.from(
      { length: 40 },
      (_, index) => [16 * hour + index * 5 * minute, () => world.line.reset()] as const,
    ),
  ];
  const told = { agreed: 0, listed: 0, lost: 0 };
  const compare = (since: number) => () => {
    const { minutes, valid } = world.judge(since);
    const { isListed } = world;
    told.agreed += Number(isListed() === record?.isListed());
    told.listed += Number(isListed());
    told.lost += minutes - valid;
    expect(Math.abs(valid - (record?.count(minutes) ?? 0))).toBeLessThanOrEqual(1);
  };
  const hours = Array.from(
    { length: 22 },
    (_, index) => [(index + 1) * hour, compare(index * hour)] as const,
  );
  await world.start();
  for (const [at, act] of [...events, ...hours].sort(([one], [other]) => one - other)) {
    world.runUntil(at);
    await act();
  }
  expect(told.agreed).toBe(hours.length);
  // From the ninth hour on, but for the hour after the line was out.
  expect(told).toMatchObject({ listed: 13, lost: expect.any(Number) });
}, 120_000);
