import { expect, test } from 'vitest';
import { createTeller } from '../../../src/connect/engine/teller.ts';
import { toState } from '../support/engine-state.ts';

const quiet = toState({ isConnected: false, connectedSince: null, url: null, isPublished: false });

/** A teller that is asked each second, by a clock that the test sets. */
function createWorld() {
  const world = { state: quiet, seconds: 0, isHeard: true };
  const toldAt: number[] = [];
  const teller = createTeller({
    read: () => world.state,
    write: () => void toldAt.push(world.seconds),
    isHeard: () => world.isHeard,
    now: () => world.seconds * 1000,
  });
  const pass = (seconds: number): void => {
    for (const until = world.seconds + seconds; world.seconds < until; world.seconds += 1)
      teller.tell();
  };
  return { world, toldAt, pass };
}

test('what does not change is told every fifteen seconds at least, and no more often than that', () => {
  const { toldAt, pass } = createWorld();
  pass(600);
  const gaps = toldAt.slice(1).map((at, index) => at - (toldAt[index] ?? 0));
  expect(toldAt[0]).toBe(0);
  expect(toldAt.length).toBeGreaterThanOrEqual(600 / 15);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(15);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(14);
});

test('what changes is told at the next look, and the silence begins anew', () => {
  const { world, toldAt, pass } = createWorld();
  pass(5);
  world.state = { ...quiet, isConnected: true };
  pass(16);
  expect(toldAt).toEqual([0, 5, 19]);
});

test('nothing is told to an agent that does not read, and what is true then once it does', () => {
  const { world, toldAt, pass } = createWorld();
  world.isHeard = false;
  pass(40);
  world.isHeard = true;
  pass(1);
  expect(toldAt).toEqual([40]);
});
