import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TributaryError } from '../../../../src/errors/codes.ts';
import { createEndpointTurns } from '../../../../src/source/wireguard/endpoint-turns.ts';

const endpoint = { host: 'proxy.example', port: 51_820 };
const context = () => ({ isServiceOnLoopback: false });

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

function createTurns(addresses: readonly string[]) {
  const named = { addresses };
  return { named, turns: createEndpointTurns(async () => named.addresses, context) };
}

test('each address has fifteen seconds, round and round, until there is a handshake', async () => {
  const { turns } = createTurns(['a', 'b', 'c']);
  expect(await turns.present(endpoint)).toBe('a');
  const seen: (string | undefined)[] = [];
  for (let seconds = 5; seconds <= 60; seconds += 5) {
    vi.advanceTimersByTime(5_000);
    seen.push(await turns.goOn());
  }
  const stay = undefined;
  expect(seen).toEqual([stay, stay, 'b', stay, stay, 'c', stay, stay, 'a', stay, stay, 'b']);
  expect(turns.tried()).toEqual(['b', 'c', 'a']);
  turns.noteHandshake(0);
  expect(turns.tried()).toEqual([]);
  expect(await turns.present(endpoint)).toBe('b');
});

test('an address is good where the handshake is younger than its turn', async () => {
  const { turns } = createTurns(['a', 'b']);
  expect(turns.noteHandshake(0)).toBeUndefined();
  await turns.present(endpoint);
  vi.advanceTimersByTime(5_000);
  expect(turns.noteHandshake(5_001)).toBeUndefined();
  expect(turns.noteHandshake(4_000)).toBe('a');
});

test('an address that the name no longer has is left at once', async () => {
  const { turns, named } = createTurns(['a', 'b']);
  await turns.present(endpoint);
  named.addresses = ['c'];
  vi.advanceTimersByTime(30_000);
  expect(await turns.goOn()).toBe('c');
});

test('an answer that comes late is used, and nothing is asked twice meanwhile', async () => {
  const answer = Promise.withResolvers<readonly string[]>();
  const answered = Promise.withResolvers<void>();
  let lookups = 0;
  const resolve = () => {
    lookups += 1;
    return answer.promise;
  };
  const turns = createEndpointTurns(resolve, context, answered.resolve);
  for (let pass = 0; pass < 2; pass += 1)
    await expect(turns.present(endpoint)).rejects.toThrow('no name server has answered yet');
  answer.resolve(['a']);
  await answered.promise;
  expect(await turns.present(endpoint)).toBe('a');
  expect(lookups).toBe(1);
});

test('a name without an address is asked for again with the next pass', async () => {
  let isThere = false;
  const turns = createEndpointTurns(async () => {
    if (!isThere) throw new TributaryError('tunnel-failed', 'no such name');
    return ['a'];
  }, context);
  await expect(turns.present(endpoint)).rejects.toThrow('no such name');
  isThere = true;
  expect(await turns.present(endpoint)).toBe('a');
});
