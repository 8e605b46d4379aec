import { expect, test } from 'vitest';
import type { Id } from '../../../src/connect/wire/id.ts';
import { createForwards } from '../../../src/reference-service/platform/forwards.ts';

const second = 1000;
const pair = { sourceId: 'consumer' as Id, destinationId: 'provider' as Id };
const back = { sourceId: pair.destinationId, destinationId: pair.sourceId };
const first = { source: 1, destination: 2 };

function open() {
  const world = { ms: 0, hasContract: true, asked: 0 };
  const forwards = createForwards({
    now: () => world.ms,
    hasClean() {
      world.asked++;
      return world.hasContract;
    },
  });
  return { world, forwards };
}

test('a forward outlives its contract, until it was idle for a quarter of an hour', () => {
  const { world, forwards } = open();
  expect(forwards.mayPass(pair, first)).toBe(true);
  world.hasContract = false;
  for (let quarter = 0; quarter < 3; quarter++) {
    world.ms += 900 * second;
    forwards.sweep();
    expect(forwards.mayPass(pair, first)).toBe(true);
  }
  world.ms += 900 * second + 1;
  expect(forwards.mayPass(pair, first)).toBe(false);
});

test.each([
  ['the source', { source: 3, destination: 2 }],
  ['the destination', { source: 1, destination: 3 }],
])('another process of %s begins a forward of its own', (_, between) => {
  const { world, forwards } = open();
  forwards.mayPass(pair, first);
  world.hasContract = false;
  expect(forwards.mayPass(pair, between)).toBe(false);
  expect(forwards.mayPass(pair, first)).toBe(true);
});

test('a refusal is believed for five seconds, and a contract that is made ends it', () => {
  const { world, forwards } = open();
  world.hasContract = false;
  expect(forwards.mayPass(pair, first)).toBe(false);
  world.hasContract = true;
  world.ms += 5 * second;
  expect(forwards.mayPass(pair, first)).toBe(false);
  expect(world.asked).toBe(1);
  forwards.noteContract(back);
  expect(forwards.mayPass(pair, first)).toBe(true);
});

test('a client has at most 8,192 forwards', () => {
  const { forwards } = open();
  for (let number = 0; number < 8192; number++)
    expect(forwards.mayPass(pair, { source: 1, destination: number })).toBe(true);
  expect(forwards.mayPass(pair, { source: 1, destination: 8192 })).toBe(false);
  expect(forwards.mayPass(pair, { source: 1, destination: 0 })).toBe(true);
});
