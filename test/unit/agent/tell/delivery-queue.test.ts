import { describe, expect, test } from 'vitest';
import { createDeliveryQueue } from '../../../../src/agent/tell/notifier-loops.ts';
import type { Pace } from '../../../../src/report/notifier.ts';

const limits = { capacity: 3, maxTries: 4, retry: { baseMs: 1_000, maxMs: 60_000 } };
const failed = { kind: 'failed', reason: 'it answered 503' } as const;
const delivered = { kind: 'delivered' } as const;

/** A queue with these messages in it; its backoff draws `random`. */
function createFilled(
  messages: readonly string[],
  { random = 0.5, ...changed }: Partial<Pace> & { readonly random?: number } = {},
) {
  const queue = createDeliveryQueue<string>({ ...limits, ...changed }, () => random);
  const added = messages.map(queue.add);
  return { queue, added };
}

/** What leaves the queue when everything is delivered. */
function drain(queue: ReturnType<typeof createFilled>['queue']): readonly string[] {
  const left: string[] = [];
  for (let message = queue.underWay(); message !== undefined; message = queue.underWay()) {
    left.push(message);
    queue.settle(delivered);
  }
  return left;
}

describe('a queue of deliveries', () => {
  test('says of the first message alone that it is under way at once', () => {
    expect(createFilled(['a', 'b', 'c', 'd']).added).toEqual([true, false, false, false]);
    const { queue } = createFilled(['a']);
    queue.settle(delivered);
    expect(queue.underWay()).toBeUndefined();
    expect(queue.add('b')).toBe(true);
  });

  test.each([
    { capacity: 3, left: ['a', 'd', 'e'] },
    { capacity: 20, left: ['a', 'b', 'c', 'd', 'e'] },
    { capacity: 1, left: ['a'] },
  ])('of $capacity drops the oldest that waits, not the one under way', ({ capacity, left }) => {
    const { queue } = createFilled(['a', 'b', 'c', 'd', 'e'], { capacity });
    expect(drain(queue)).toEqual(left);
  });

  test('keeps a message that failed before the others, until it has had its tries', () => {
    const { queue } = createFilled(['a', 'b']);
    for (let tries = 1; tries < limits.maxTries; tries += 1) {
      expect(queue.settle(failed)).toBeGreaterThan(0);
      expect(queue.underWay()).toBe('a');
    }
    expect(queue.settle(failed)).toBeUndefined();
    expect(queue.underWay()).toBe('b');
  });

  test.each([delivered, { kind: 'refused', reason: 'it answered 404' }] as const)(
    'lets go of a message that was $kind, and counts the tries of the next from none',
    (outcome) => {
      const { queue } = createFilled(['a', 'b']);
      expect(queue.settle(failed)).toBe(500);
      expect(queue.settle(failed)).toBe(1_000);
      expect(queue.settle(outcome)).toBeUndefined();
      expect(queue.underWay()).toBe('b');
      expect(queue.settle(failed)).toBe(500);
    },
  );

  test.each([
    { claim: 'grows', random: 0.999, waits: [999, 1_998, 3_996] },
    { claim: 'is anywhere below, but never at once', random: 0, waits: [200, 200, 200] },
  ])('waits for a time that $claim', ({ random, waits }) => {
    const { queue } = createFilled(['a'], { random });
    expect(waits.map(() => queue.settle(failed))).toEqual(waits);
  });

  test('never waits for longer than the longest time, however often it fails', () => {
    const { queue } = createFilled(['a'], { random: 0.999, maxTries: Number.POSITIVE_INFINITY });
    const waits = Array.from({ length: 2_000 }, () => queue.settle(failed) ?? 0);
    expect(Math.max(...waits)).toBeLessThanOrEqual(limits.retry.maxMs);
    expect(queue.underWay()).toBe('a');
  });

  test.each([
    { claim: 'at least as long as it was asked to', retryAfterMs: 30_000, waitMs: 30_000 },
    {
      claim: 'no longer than the longest time, whatever it was asked to',
      retryAfterMs: 86_400_000,
      waitMs: 60_000,
    },
    { claim: 'its own time where that is longer', retryAfterMs: 1, waitMs: 500 },
  ])('waits $claim', ({ retryAfterMs, waitMs }) => {
    expect(createFilled(['a']).queue.settle({ ...failed, retryAfterMs })).toBe(waitMs);
  });
});
