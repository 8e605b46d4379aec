import { expect, test } from 'vitest';
import { createFlow, type Flow } from '../support/flow.ts';

const calm = { loss: 0, duplication: 0, delay: 5, jitter: 0 };
const minute = 60_000;

test('twenty minutes of a slow flow are paid as far as the service pays, and none is lost', () => {
  const flow = createFlow({
    nature: calm,
    seed: 1,
    downPerSecond: 10,
    downBytes: 500,
    upPerSecond: 10,
    upBytes: 500,
  });
  flow.run(20 * minute);
  const { up, down } = flow;
  expect([up.received, down.received]).toEqual([up.sent, down.sent]);
  expect(up.isInOrder && down.isInOrder).toBe(true);
  expect(down.sent).toBeGreaterThan(11_900);
  expect(down.paidBytes).toBeGreaterThan(0.9 * down.sentBytes);
  expect(up.paidBytes + down.paidBytes).toBeGreaterThan(0.6 * (up.sentBytes + down.sentBytes));
  expect(flow.world.service.overPaid()).toEqual([]);
  expect(flow.app().refused()).toBe(0);
});

test('a pause brings a new contract, and the connection lives', () => {
  const flow = createFlow({
    nature: calm,
    seed: 2,
    downPerSecond: 20,
    downBytes: 1000,
    upPerSecond: 0,
    upBytes: 60,
    hasAcks: true,
    isPaused: (now) => now >= 13 * minute && now < 14 * minute,
  });
  flow.run(17 * minute);
  expect(flow.world.engine.counters().renewals).toMatchObject({
    byPause: 1,
    aborted: 0,
    holes: 0,
  });
  expect([flow.identities(), flow.app().sequences(), flow.app().refused()]).toEqual([1, 2, 0]);
  expect(flow.down.received).toBe(flow.down.sent);
  expect(flow.longestSilence()).toBeLessThan(500);
});

test('a pause that was long in coming is used, since the next one may come too late', () => {
  const flow = createFlow({
    nature: calm,
    seed: 7,
    downPerSecond: 20,
    downBytes: 1000,
    upPerSecond: 0,
    upBytes: 60,
    hasAcks: true,
    isPaused: (now) => now >= 8 * minute && now < 9 * minute,
  });
  flow.run(20 * minute);
  expect(flow.world.engine.counters().renewals).toMatchObject({ byPause: 1, holes: 0 });
  expect([flow.identities(), flow.app().sequences()]).toEqual([1, 2]);
  expect(flow.down.paidBytes).toBeGreaterThan(0.99 * flow.down.sentBytes);
  expect(flow.longestSilence()).toBeLessThan(500);
});

test('a pause in which no new contract can come ends none of the spares that carry the consumer after it', () => {
  const [fastAt, pauseAt, goesOnAt] = [16.25 * minute, 18.25 * minute, 21.5 * minute];
  let heldBytes = 0;
  const flow = createFlow({
    nature: calm,
    seed: 8,
    downPerSecond: 300,
    downBytes: 1000,
    upPerSecond: 20,
    upBytes: 60,
    isPaused(now) {
      if (now < goesOnAt) heldBytes = sumHeld(flow);
      // Its pings end with the first pause; in the second, the service begins to refuse us.
      const isFirst = now >= 8 * minute && now < 9 * minute;
      const isBetween = now < fastAt && now % 20_000 >= 100;
      return isFirst || isBetween || (now >= pauseAt && now < goesOnAt);
    },
  });
  flow.run(23 * minute);
  const { byPause, ended, holes, refused } = flow.world.engine.counters().renewals;
  expect([byPause, ended, holes, flow.identities()]).toEqual([1, 0, 0, 1]);
  expect(refused).toBeGreaterThan(0);
  expect(heldBytes).toBeGreaterThan(15 * 60 * 300 * 1000);
  expect(flow.down.received).toBe(flow.down.sent);
  expect(flow.longestSilence()).toBeLessThan(500);
});

/** What a provider may send by the contracts that it has not given back. */
function sumHeld({ world: { service, providerId } }: Flow): number {
  const held = service.all().filter(({ from, isToldWhole }) => from === providerId && !isToldWhole);
  return held.reduce((sum, { byteCount }) => sum + 0.8 * byteCount, 0);
}

test.each([
  [45, 0],
  [90, 1],
])(
  'after fast traffic, an app pings late: a pause of %i s brings %i new contracts',
  (seconds, count) => {
    const flow = createFlow({
      nature: calm,
      seed: 6,
      downPerSecond: 50,
      downBytes: 1000,
      upPerSecond: 0,
      upBytes: 60,
      hasAcks: true,
      isPaused: (now) => now >= 12.5 * minute && now < 12.5 * minute + seconds * 1000,
    });
    flow.run(14.5 * minute);
    expect(flow.world.engine.counters().renewals.byPause).toBe(count);
    expect([flow.identities(), flow.down.received]).toEqual([1, flow.down.sent]);
    expect(flow.longestSilence()).toBeLessThan(500);
  },
);

test('a pause that is too short changes nothing: data is acknowledged at once', () => {
  const flow = createFlow({
    nature: calm,
    seed: 3,
    downPerSecond: 20,
    downBytes: 1000,
    upPerSecond: 0,
    upBytes: 60,
    hasAcks: true,
    isPaused: (now) => now >= 12 * minute && now % minute >= 30_000,
  });
  flow.run(16 * minute);
  const { aborted, byPause } = flow.world.engine.counters().renewals;
  expect(aborted).toBeGreaterThan(1);
  expect([byPause, flow.identities(), flow.app().sequences()]).toEqual([0, 1, 1]);
  expect(flow.down.received).toBe(flow.down.sent);
  expect(flow.longestSilence()).toBeLessThan(500);
});

test('in direct mode, signals bring new contracts, and everything down is paid', () => {
  const flow = createFlow({
    nature: calm,
    seed: 4,
    isDirect: true,
    downPerSecond: 20,
    downBytes: 1000,
    upPerSecond: 0,
    upBytes: 60,
    hasAcks: true,
  });
  flow.run(20 * minute);
  const { bySignal, byPause, refused, holes } = flow.world.engine.counters().renewals;
  expect(bySignal).toBeGreaterThan(2);
  expect([byPause, refused, holes, flow.identities()]).toEqual([0, 0, 0, 1]);
  expect(flow.down.received).toBe(flow.down.sent);
  expect(flow.down.paidBytes).toBeGreaterThan(0.99 * flow.down.sentBytes);
  expect(flow.longestSilence()).toBeLessThan(500);
});

test('at the owner’s limit, the consumer comes back as another one while answers still flow', () => {
  const flow = createFlow({
    nature: calm,
    seed: 5,
    downPerSecond: 20,
    downBytes: 1000,
    upPerSecond: 0,
    upBytes: 60,
    hasAcks: true,
    mostUnpaidBytes: 3_000_000,
  });
  flow.run(22 * minute);
  const { ended, bridgedBytes, holes } = flow.world.engine.counters().renewals;
  expect([ended, holes, flow.identities()]).toEqual([1, 0, 2]);
  expect(bridgedBytes).toBeGreaterThan(3_000_000);
  // What flows until the app gives up, half a minute later.
  expect(bridgedBytes).toBeLessThan(3_000_000 + 60 * 21_000);
  expect(flow.longestSilence()).toBeLessThan(2000);
});
