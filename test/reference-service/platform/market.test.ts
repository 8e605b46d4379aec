import { expect, test } from 'vitest';
import { openMarket } from './market-world.ts';

const day = 24 * 60;
const repeat = (times: number, act: (index: number) => void): void => {
  for (let index = 0; index < times; index++) act(index);
};

test('a provider is found once it has 504 valid minutes of the last 720, and 57 of the last 60', () => {
  const world = openMarket();
  expect(world.isFound()).toBe(true);
  world.connect();
  expect([world.isFound(), world.listOwn()]).toEqual([false, [world.clientId]]);
  repeat(503, () => world.pass(true));
  expect([world.isFound(), world.countFound()]).toEqual([false, 0]);
  world.pass(true);
  expect([world.isFound(), world.countFound()]).toEqual([true, 1]);
  repeat(3, () => world.pass(false));
  expect(world.isFound()).toBe(true);
  world.pass(false);
  expect(world.isFound()).toBe(false);
  repeat(57, () => world.pass(true));
  expect(world.isFound()).toBe(true);
});

test('one with each 18th minute void stays on the list', () => {
  const world = openMarket();
  world.connect();
  repeat(day, (index) => world.pass(index % 18 !== 0));
  expect(world.isFound()).toBe(true);
});

test('who comes by a tunnel alone is found while it is connected', () => {
  const world = openMarket();
  const other = world.add('by tunnel');
  const socket = world.connect();
  world.market.review();
  expect([world.isFound(other), world.isFound()]).toEqual([true, false]);
  world.disconnect(socket);
  world.market.review();
  expect(world.isFound()).toBe(true);
});
