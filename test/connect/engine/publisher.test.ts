import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { completeSecrets, type ProvideWish } from '../../../src/connect/contract/secrets.ts';
import type { ControlFailure } from '../../../src/connect/control/control-client.ts';
import { createPublisher } from '../../../src/connect/engine/publisher.ts';
import type { ProvideKey } from '../../../src/connect/wire/control-messages.ts';
import { createIdSource } from '../../../src/connect/wire/id.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const secrets = completeSecrets(randomBytes);
const ownId = createIdSource({ randomBytes }).next(1);

/** A publisher whose requests fail for these reasons, and then succeed. */
function start(reasons: readonly ControlFailure['reason'][], published: string | null = null) {
  const asked: (readonly ProvideKey[])[] = [];
  const kept: (string | null)[] = [];
  const left = [...reasons];
  let wish: ProvideWish = 'public';
  const publisher = createPublisher({
    ownId,
    secrets,
    control: {
      async provide(keys) {
        asked.push(keys);
        const reason = left.shift();
        return reason === undefined ? { kind: 'done' } : { kind: 'failed', reason, message: '' };
      },
    },
    wish: () => wish,
    published,
    random: () => 0,
    onPublished: () => kept.push(publisher.published()),
  });
  const stop = new AbortController();
  const running = publisher.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  const want = (next: ProvideWish) => {
    wish = next;
    publisher.wake();
  };
  return { publisher, asked, kept, want };
}

test('a set is published once, and again only where the wish is another', async () => {
  const { publisher, asked, kept, want } = start([]);
  await publisher.first;
  expect(publisher.isPublished()).toBe(true);
  publisher.wake();
  await vi.advanceTimersByTimeAsync(100_000);
  expect(asked).toHaveLength(1);
  want('network');
  expect(publisher.isPublished()).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(asked[1]?.map(({ mode }) => mode)).toEqual([1, 4]);
  want('none');
  await vi.advanceTimersByTimeAsync(1);
  expect([asked[2], publisher.isPublished()]).toEqual([[], false]);
  expect(new Set(kept).size).toBe(3);
});

test('what an earlier life published is not published again', async () => {
  const { publisher } = start([]);
  await publisher.first;
  const next = start([], publisher.published());
  await next.publisher.first;
  expect([next.asked, next.publisher.isPublished()]).toEqual([[], true]);
});

test('what failed is tried again, ever more rarely', async () => {
  const { publisher, asked } = start(['not-sent', 'refused', 'unauthorized', 'not-sent']);
  const seen: number[] = [];
  for (let second = 0; second < 20; second++) {
    await vi.advanceTimersByTimeAsync(1);
    seen.push(asked.length);
    await vi.advanceTimersByTimeAsync(999);
  }
  // After 1, 2, 4 and 8 s more.
  expect(seen).toEqual([1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5]);
  expect(publisher.isPublished()).toBe(true);
});

test('a token that is renewed, or another wish, is not waited with', async () => {
  const { publisher, asked, want } = start(['unauthorized', 'not-sent', 'not-sent', 'not-sent']);
  await vi.advanceTimersByTimeAsync(1);
  publisher.wake();
  await vi.advanceTimersByTimeAsync(1);
  expect(asked).toHaveLength(2);
  want('network');
  await vi.advanceTimersByTimeAsync(1);
  expect(asked).toHaveLength(3);
});

test('where nobody knows what became of it, nobody knows what is published', async () => {
  const { publisher, kept } = start(['unknown'], 'an earlier set');
  await vi.advanceTimersByTimeAsync(1);
  expect([publisher.published(), kept]).toEqual([null, [null]]);
  await vi.advanceTimersByTimeAsync(1000);
  expect(kept).toEqual([null, publisher.published()]);
  expect(publisher.isPublished()).toBe(true);
});
