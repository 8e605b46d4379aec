import { expect, test } from 'vitest';
import { createFlow } from '../support/flow.ts';
import { createChance } from '../support/link.ts';

const calm = { loss: 0, duplication: 0, delay: 15, jitter: 10 };
const minute = 60_000;
const downPerSecond = 10;
const downBytes = 1000;

test('a provider that is killed ten times in mid-flow counts nothing twice, and consumers go on within two seconds', () => {
  const chance = createChance(1);
  const kills = Array.from({ length: 10 }, (_, number) => ({
    at: Math.floor((number + 0.5 + 0.5 * chance()) * 0.5 * minute),
    // What is on its way then was counted, and is sent again.
    isAfterKeeping: number % 2 === 0,
  }));
  const flow = createFlow({
    nature: calm,
    seed: 1,
    downPerSecond,
    downBytes,
    upPerSecond: 10,
    upBytes: 500,
    isPaused(now) {
      const [kill] = kills;
      const isKept = now - flow.world.keptAt() <= 5;
      if (kill === undefined || now < kill.at || (kill.isAfterKeeping && !isKept)) return false;
      kills.shift();
      flow.world.kill();
      return false;
    },
  });
  flow.run(11 * minute);
  expect(kills).toEqual([]);
  expect([flow.identities(), flow.world.service.overPaid()]).toEqual([1, []]);
  expect(flow.longestSilence()).toBeLessThan(2000);
  const { service, providerId } = flow.world;
  for (const { from, told, carried } of service.all()) {
    expect(told).toBeLessThanOrEqual(carried);
    // What a provider counted since it wrote its books down: a minute of it at the most.
    const inAMinute = 61 * downPerSecond * downBytes;
    if (from === providerId) expect(carried - told).toBeLessThan(inAMinute);
  }
  expect(flow.down.paidBytes).toBeGreaterThan(0.8 * flow.down.sentBytes);
});

test('a provider that is killed ten times while it reports has in doubt what it was reporting, and nothing else', () => {
  let [kills, doubtful] = [0, 0];
  const flow = createFlow({
    nature: calm,
    seed: 2,
    downPerSecond,
    downBytes,
    upPerSecond: 10,
    upBytes: 500,
    isPaused() {
      // Checkpoints are on their way, or their answer is.
      const isReporting = flow.world.doubtfulBytes() > doubtful;
      if (kills === 10 || !isReporting) return false;
      kills++;
      doubtful = flow.world.doubtfulBytes();
      flow.world.kill();
      return false;
    },
  });
  flow.run(20 * minute);
  expect(kills).toBe(10);
  expect([flow.identities(), flow.world.service.overPaid()]).toEqual([1, []]);
  expect(flow.longestSilence()).toBeLessThan(2000);
  let missing = 0;
  for (const { told, carried, underWay } of flow.world.service.all()) {
    // A ping may have been withheld when the app ended.
    expect(told).toBeLessThanOrEqual(carried + underWay);
    missing += carried - told;
  }
  expect(flow.world.doubtfulBytes()).toBe(doubtful);
  // Books are written down just before: of what was on its way then, the service hears nothing.
  const inASecond = downPerSecond * downBytes + 10 * 500;
  expect(missing).toBeLessThan(doubtful + kills * inASecond);
});
