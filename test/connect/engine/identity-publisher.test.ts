import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { ControlFailure } from '../../../src/connect/control/control-client.ts';
import { createIdentityPublisher } from '../../../src/connect/engine/identity-publisher.ts';
import { loadIdentity, makeIdentity } from '../../../src/connect/sealed/identity.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const identity = makeIdentity(randomBytes);

/** A publisher whose requests fail for these reasons, and then succeed. */
function start(reasons: readonly ControlFailure['reason'][], of: typeof identity | undefined) {
  const told: Buffer[] = [];
  const left = [...reasons];
  const publisher = createIdentityPublisher({
    identity: of,
    control: {
      async publishIdentity({ clientKey }) {
        told.push(clientKey.publicKey);
        const reason = left.shift();
        return reason === undefined ? { kind: 'done' } : { kind: 'failed', reason, message: '' };
      },
    },
    random: () => 0,
  });
  const stop = new AbortController();
  const running = publisher.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  return { publisher, told };
}

test('an identity is told once, and not again by a renewed token', async () => {
  const { publisher, told } = start([], identity);
  await publisher.first;
  publisher.wake();
  await vi.advanceTimersByTimeAsync(1_000_000);
  expect(told).toEqual([loadIdentity(identity).publicKey]);
  expect(publisher.isPublished()).toBe(true);
});

test('a platform that takes none keeps nobody waiting, and is asked again ever more rarely', async () => {
  const { publisher, told } = start(['refused', 'unknown', 'refused'], identity);
  await publisher.first;
  const seen: number[] = [];
  for (let second = 0; second < 8; second++) {
    await vi.advanceTimersByTimeAsync(1);
    seen.push(told.length);
    await vi.advanceTimersByTimeAsync(999);
  }
  // After half a second, one and two more.
  expect(seen).toEqual([1, 2, 3, 3, 4, 4, 4, 4]);
  expect(publisher.isPublished()).toBe(true);
});

test('a renewed token is not waited with', async () => {
  const { publisher, told } = start(['unauthorized', 'unauthorized'], identity);
  await publisher.first;
  publisher.wake();
  await vi.advanceTimersByTimeAsync(1);
  expect(told).toHaveLength(2);
});

test('without an identity nothing is told', async () => {
  const { publisher, told } = start([], undefined);
  await publisher.first;
  expect([told, publisher.isPublished()]).toEqual([[], false]);
});
