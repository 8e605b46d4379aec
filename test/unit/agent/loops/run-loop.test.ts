import { expect, test } from 'vitest';
import { runLoop } from '../../../../src/agent/loops/run-loop.ts';

/** A loop whose beginning is the test's to end, and how often it ticked. */
function createWaitingLoop() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = new AbortController();
  let ticks = 0;
  const tick = async () => {
    ticks += 1;
    stop.abort();
    return 0;
  };
  const start = () => runLoop({ name: 'waiting', begin: () => promise, tick }, stop.signal);
  return { start, begin: resolve, stop, ticks: () => ticks };
}

test('a loop ticks once what it begins with is done, and not before', async () => {
  const loop = createWaitingLoop();
  const running = loop.start();
  await new Promise((resolve) => setImmediate(resolve));
  expect(loop.ticks()).toBe(0);
  loop.begin();
  await running;
  expect(loop.ticks()).toBe(1);
});

test.each(['before', 'while'])('a loop that is stopped %s it waits to begin ends without a tick', async (when) => {
  const loop = createWaitingLoop();
  if (when === 'before') loop.stop.abort();
  const running = loop.start();
  loop.stop.abort();
  await running;
  expect(loop.ticks()).toBe(0);
});
