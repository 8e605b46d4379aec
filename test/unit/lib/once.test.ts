import { expect, test } from 'vitest';
import { once, untilFound } from '../../../src/lib/once.ts';

function createAsking(outcomes: readonly (string | Error)[]) {
  let asked = 0;
  const ask = async () => {
    const outcome = outcomes[asked++];
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  return { ask, count: () => asked };
}

test.each([
  { name: 'once', remember: once },
  { name: 'untilFound', remember: untilFound },
])('$name asks for all callers together, and not before the first', async ({ remember }) => {
  const { ask, count } = createAsking(['found', 'asked again']);
  const find = remember(ask);
  expect(count()).toBe(0);
  expect(await Promise.all([find(), find()])).toEqual(['found', 'found']);
  expect(await find()).toBe('found');
  expect(count()).toBe(1);
});

test('once keeps a failure as it keeps an answer', async () => {
  const { ask, count } = createAsking([new Error('gone'), 'found']);
  const find = once(ask);
  await expect(find()).rejects.toThrow('gone');
  await expect(find()).rejects.toThrow('gone');
  expect(count()).toBe(1);
});

test('untilFound asks again after a failure, and keeps what it finds then', async () => {
  const { ask, count } = createAsking([new Error('gone'), 'found', 'asked again']);
  const find = untilFound(ask);
  await expect(Promise.all([find(), find()])).rejects.toThrow('gone');
  expect(await find()).toBe('found');
  expect(await find()).toBe('found');
  expect(count()).toBe(2);
});
