import { expect, test } from 'vitest';
import { calm, download as downloadFast } from '../support/fast-download.ts';
import { createFlow, type Flow } from '../support/flow.ts';

const minute = 60_000;
const download = {
  nature: calm,
  downPerSecond: 50,
  downBytes: 1000,
  upPerSecond: 0,
  upBytes: 60,
  hasAcks: true,
} as const;
const quarterPauses = (now: number): boolean => now % (15 * minute) >= 15 * minute - 35_000;

/**
 * The service grants us contracts for eleven minutes by one of the consumer's, and the last of
 * these is paid for five, and by half for a sixth.
 */
const paidByOne = 16.2 * minute;

/** The share of so many minutes in which a consumer has a contract that pays. */
function shareWithContract({ world }: Flow, minutes: number): number {
  const made = world.service.all().filter(({ from }) => from !== world.providerId);
  const [start] = made;
  let [sum, until] = [0, 0];
  for (const { createdAt } of made) {
    const from = Math.max(until, createdAt - (start?.createdAt ?? 0));
    until = Math.min(minutes * minute, createdAt - (start?.createdAt ?? 0) + paidByOne);
    sum += Math.max(0, until - from);
  }
  return sum / (minutes * minute);
}

test('an hour of a download in direct mode is paid, without a silence', () => {
  const flow = createFlow({ ...download, seed: 1, isDirect: true });
  flow.run(60 * minute);
  const { down } = flow;
  expect(down.received).toBe(down.sent);
  expect(down.sent).toBeGreaterThan(179_000);
  expect(down.paidBytes).toBeGreaterThan(0.99 * down.sentBytes);
  expect(flow.longestSilence()).toBeLessThan(500);
  expect(flow.identities()).toBe(1);
});

test('minutes of a fast download in direct mode are paid over a renewal, without a silence', () => {
  const { sentBytes, paidBytes, isWhole, longestSilence, identities } = downloadFast(6 * minute);
  expect(sentBytes).toBeGreaterThan(350_000_000);
  expect(isWhole).toBe(true);
  expect(paidBytes).toBeGreaterThan(0.99 * sentBytes);
  expect(longestSilence).toBeLessThan(500);
  expect(identities).toBe(1);
}, 240_000);

test('with a pause of 35 s each quarter of an hour, one connection lives and is paid', () => {
  const flow = createFlow({
    ...download,
    seed: 2,
    // A pause is long enough where a ping comes in its first seconds.
    steadyPings: 1000,
    isPaused: quarterPauses,
  });
  flow.run(60 * minute);
  const { down } = flow;
  expect(down.received).toBe(down.sent);
  expect(down.paidBytes).toBeGreaterThan(0.75 * down.sentBytes);
  expect(flow.identities()).toBe(1);
  expect(flow.longestSilence()).toBeLessThan(500);
});

test('as the network’s own app pings, pauses of 35 s may come too soon: then all is paid that its contracts pay for', () => {
  const flow = createFlow({ ...download, seed: 7, isPaused: quarterPauses });
  flow.run(60 * minute);
  const { down } = flow;
  const { byPause, aborted, ended } = flow.world.engine.counters().renewals;
  // It pings after half a minute without traffic, and a pause is over five seconds later.
  expect([byPause, aborted, ended, flow.identities()]).toEqual([0, 0, 0, 1]);
  expect(down.received).toBe(down.sent);
  expect(down.paidBytes).toBeGreaterThan(0.97 * shareWithContract(flow, 60) * down.sentBytes);
  expect(flow.longestSilence()).toBeLessThan(500);
});

test('the one pause in which an app can be brought to renew is used when its contract is nearly over', () => {
  // A minute in each five: its pings end with the first of these that is used.
  const flow = createFlow({
    ...download,
    seed: 8,
    downPerSecond: 15,
    isPaused: (now) => now % (5 * minute) >= 4 * minute,
  });
  flow.run(40 * minute);
  const { down } = flow;
  expect(flow.world.engine.counters().renewals).toMatchObject({ byPause: 1, ended: 0 });
  expect(flow.identities()).toBe(1);
  // Twice what one contract pays for, but for the minutes by which the pause came too soon.
  expect(down.paidBytes).toBeGreaterThan((29 / 40) * down.sentBytes);
  expect(flow.world.service.overPaid()).toEqual([]);
});

test('where no new contract comes, all is paid that the service can be told in time', () => {
  const flow = createFlow({ ...download, seed: 4, downPerSecond: 15 });
  flow.run(24 * minute);
  const { down } = flow;
  const { refused, byPause } = flow.world.engine.counters().renewals;
  expect([refused > 0, byPause, flow.identities()]).toEqual([true, 0, 1]);
  expect(down.paidBytes).toBeGreaterThan(shareWithContract(flow, 24) * down.sentBytes);
  expect(flow.world.service.overPaid()).toEqual([]);
});

test.each([200, 4000])(
  'a pause of 35 s is enough where a ping comes after %i ms of it',
  (pingAfter) => {
    // The app pings each twenty seconds of a minute.
    const pauseAt = 13 * minute - pingAfter;
    const flow = createFlow({
      ...download,
      seed: 5,
      downPerSecond: 15,
      isPaused: (now) => now >= pauseAt && now < pauseAt + 35_000,
    });
    flow.run(15 * minute);
    expect(flow.world.engine.counters().renewals).toMatchObject({ byPause: 1, aborted: 0 });
    expect([flow.identities(), flow.app().sequences()]).toEqual([1, 2]);
    expect(flow.longestSilence()).toBeLessThan(500);
  },
);

test('without a pause there is no silence, and what is not paid stays within the limit', () => {
  const mostUnpaidBytes = 10_000_000;
  const flow = createFlow({ ...download, seed: 3, mostUnpaidBytes });
  flow.run(60 * minute);
  const { down } = flow;
  const { bridgedBytes, ended, holes } = flow.world.engine.counters().renewals;
  expect(down.received).toBeGreaterThan(0.99 * down.sent);
  expect(flow.longestSilence()).toBeLessThan(2000);
  expect([holes, flow.identities()]).toEqual([0, ended + 1]);
  expect(ended).toBeGreaterThan(0);
  // Within a minute of the limit the consumer has come back as another one.
  expect(bridgedBytes).toBeLessThan((ended + 1) * (mostUnpaidBytes + 60 * 53_000));
  expect(down.paidBytes).toBeGreaterThan(0.75 * down.sentBytes);
});
