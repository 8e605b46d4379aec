import { expect, test } from 'vitest';
import { createWeekWorld, type WeekWorld } from './week-world.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** What happens to the device, and when, in virtual ms since the beginning. */
interface Event {
  readonly at: number;
  readonly act: (world: WeekWorld) => void | Promise<void>;
}

/** The process is ended, and another one begins so long after. */
const restart = (at: number, downMs: number): readonly Event[] => [
  { at, act: (world) => world.stop() },
  { at: at + downMs, act: (world) => world.start() },
];

/** Eight hours in which the line breaks, dies or waits a while, every ten minutes or so. */
function planBadNight(world: WeekWorld, from: number): readonly Event[] {
  const events: Event[] = [];
  for (let at = from; at < from + 8 * hour; at += -10 * minute * Math.log(1 - world.chance())) {
    const [kind, howLong] = [Math.floor(3 * world.chance()), world.chance()];
    if (kind === 0) events.push({ at, act: ({ line }) => line.reset() });
    else if (kind === 1) events.push({ at, act: ({ line }) => line.die(20_000 * howLong) });
    else events.push({ at, act: ({ line }) => line.stall(15_000 * howLong) });
  }
  return events;
}

async function run(world: WeekWorld, events: readonly Event[], until: number) {
  const sum = { minutes: 0, valid: 0 };
  const judgements = Array.from({ length: Math.floor(until / hour) }, (_, index) => ({
    at: (index + 1) * hour,
    act() {
      const { minutes, valid } = world.judge(index * hour);
      sum.minutes += minutes;
      sum.valid += valid;
    },
  }));
  await world.start();
  for (const { at, act } of [...events, ...judgements].sort((one, other) => one.at - other.at)) {
    world.runUntil(at);
    await act(world);
  }
  return sum;
}

test('a week with a restart a day, an upgrade, two drains and a night on a bad line: 99.9 % of its minutes count', async () => {
  const world = createWeekWorld({ seed: 3 });
  const restarts = Array.from({ length: 7 }, (_, number) =>
    restart(number * day + Math.floor(world.chance() * day), 3000),
  );
  const drains = [2, 4].map((number) => ({
    at: number * day + Math.floor(world.chance() * hour),
    act: () => world.drain(),
  }));
  const events = [
    ...restarts.flat(),
    ...restart(3.5 * day, 20_000),
    ...drains,
    ...planBadNight(world, 5 * day),
  ];
  const { minutes, valid } = await run(world, events, 7 * day);
  expect(minutes).toBe(7 * 24 * 60);
  expect(valid).toBeGreaterThan(0.999 * minutes);
  expect(world.published()).toBe(1);
}, 240_000);

/** One thing that happens at each second of a minute, once the device is there for a while. */
async function countLost(happen: (world: WeekWorld) => void | Promise<void>): Promise<number> {
  const world = createWeekWorld({ seed: 2 });
  const every = 5 * minute;
  const events = Array.from({ length: 60 }, (_, second) => ({
    at: (second + 1) * every + second * 1000 + Math.floor(1000 * world.chance()),
    act: () => happen(world),
  }));
  const { minutes, valid } = await run(world, events, 6 * hour);
  return minutes - valid;
}
test.each<readonly [string, number, (world: WeekWorld) => void | Promise<void>]>([
  ['a drain', 0, (world) => world.drain()],
  ['a new token', 0, (world) => world.renewToken()],
  ['a line that is reset', 1, ({ line }) => line.reset()],
  ['a change of network', 0, ({ line }) => line.die(0)],
  ['a line that stands still', 0, ({ line }) => line.stall(8000)],
  [
    'a restart',
    1,
    async (world) => {
      world.stop();
      world.runUntil(world.now() + 3000);
      await world.start();
    },
  ],
  [
    'an upgrade',
    1,
    async (world) => {
      world.stop();
      world.runUntil(world.now() + 8000);
      await world.start();
    },
  ],
])('%s costs no minute, whenever it comes', async (_, most, happen) => {
  expect(await countLost(happen)).toBeLessThanOrEqual(most);
});
