import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { askByDatagram } from '../../../src/system/datagram.ts';
import { startResponder } from './fake-router.ts';

// The waits pass only where a test lets them; datagrams are real.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const { signal } = new AbortController();
const question = {
  host: 'stun.example',
  request: () => Buffer.from('?'),
  decode: (bytes: Buffer) => bytes.toString(),
  waitsMs: [500, 1000, 2000],
};

test('a name that takes as long as the system’s own tries is waited for', async () => {
  const { address, port } = await startResponder(0, () => Buffer.from('here'));
  const lookUp = async () => {
    // Two name servers that do not answer are asked twice, each for five seconds.
    await vi.advanceTimersByTimeAsync(20_000);
    return [address];
  };
  expect(await askByDatagram({ ...question, port, lookUp }, signal)).toBe('here');
});

test('the next address is asked where one does not answer', async () => {
  const second = await startResponder(0, () => Buffer.from('here'));
  const first = await startResponder(second.port, () => {
    vi.advanceTimersByTime(2000);
    return undefined;
  });
  const lookUp = async () => [first.address, second.address];
  expect(await askByDatagram({ ...question, port: second.port, lookUp }, signal)).toBe('here');
  expect(first.asked).toHaveLength(question.waitsMs.length);
});

test('a name without an answer comes to nothing, also where the asker gives up', async () => {
  const never = () => new Promise<never>(() => undefined);
  const asked = askByDatagram({ ...question, port: 9, lookUp: never }, signal);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await asked).toBeUndefined();
  expect(
    await askByDatagram({ ...question, port: 9, lookUp: never }, AbortSignal.abort()),
  ).toBeUndefined();
  const refused = async () => Promise.reject(new Error('ENOTFOUND'));
  expect(await askByDatagram({ ...question, port: 9, lookUp: refused }, signal)).toBeUndefined();
});
