import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
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

test('an address is good where the handshake may be younger than its turn', async () => {
  const { turns } = createTurns(['a', 'b']);
  expect(turns.noteHandshake(0)).toBeUndefined();
  await turns.present(endpoint);
  vi.advanceTimersByTime(5_000);
  expect(turns.noteHandshake(6_001)).toBeUndefined();
  expect(turns.noteHandshake(4_000)).toBe('a');
});

test('a stamp of whole seconds, which may lie before the turn, hides no handshake of it', async () => {
  const { turns } = createTurns(['a', 'b']);
  await turns.present(endpoint);
  // A tenth of a second after the turn began: its stamp is of the second's beginning.
  vi.advanceTimersByTime(100);
  expect(turns.noteHandshake(950)).toBe('a');
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

describe('an end from which nothing comes', () => {
  test('is followed to where its name leads now, at most twenty seconds after it is asked for', async () => {
    const { turns, named } = createTurns(['192.0.2.1']);
    await turns.present(endpoint);
    named.addresses = ['192.0.2.2'];
    vi.advanceTimersByTime(19_000);
    expect(await turns.lookAgain()).toBe(false);
    vi.advanceTimersByTime(1_000);
    expect(await turns.lookAgain()).toBe(true);
    expect(await turns.present(endpoint)).toBe('192.0.2.2');
  });

  test('is followed as soon as name servers that took their time have answered', async () => {
    const late = Promise.withResolvers<readonly string[]>();
    const answered = Promise.withResolvers<void>();
    const answers = [Promise.resolve(['192.0.2.1']), late.promise];
    const resolve = () => answers.shift() ?? late.promise;
    const turns = createEndpointTurns(resolve, context, answered.resolve);
    await turns.present(endpoint);
    vi.advanceTimersByTime(20_000);
    expect(await turns.lookAgain()).toBe(false);
    late.resolve(['192.0.2.2']);
    await answered.promise;
    vi.advanceTimersByTime(1_000);
    expect(await turns.lookAgain()).toBe(true);
    expect(await turns.present(endpoint)).toBe('192.0.2.2');
  });

  test('is followed to an address of the family that worked', async () => {
    const { turns, named } = createTurns(['192.0.2.1:51820']);
    await turns.present(endpoint);
    named.addresses = ['[2001:db8::2]:51820', '192.0.2.2:51820'];
    vi.advanceTimersByTime(20_000);
    expect(await turns.lookAgain()).toBe(true);
    expect(await turns.present(endpoint)).toBe('192.0.2.2:51820');
  });

  test('stays where its name still has the present address', async () => {
    const { turns, named } = createTurns(['192.0.2.1']);
    await turns.present(endpoint);
    named.addresses = ['192.0.2.2', '192.0.2.1'];
    vi.advanceTimersByTime(20_000);
    expect(await turns.lookAgain()).toBe(false);
    expect(await turns.present(endpoint)).toBe('192.0.2.1');
  });

  test('stays where its name does not answer', async () => {
    let isThere = true;
    const turns = createEndpointTurns(async () => {
      if (!isThere) throw new TributaryError('tunnel-failed', 'no such name');
      return ['192.0.2.1'];
    }, context);
    await turns.present(endpoint);
    isThere = false;
    vi.advanceTimersByTime(20_000);
    expect(await turns.lookAgain()).toBe(false);
    expect(await turns.present(endpoint)).toBe('192.0.2.1');
  });

  test('that is named by its address is not asked for', async () => {
    let lookups = 0;
    const turns = createEndpointTurns(async () => {
      lookups += 1;
      return ['192.0.2.1'];
    }, context);
    await turns.present({ host: '192.0.2.1', port: 51_820 });
    vi.advanceTimersByTime(60_000);
    expect(await turns.lookAgain()).toBe(false);
    expect(lookups).toBe(1);
  });

  test('gets its old address back where the new one does not answer, and is then left alone', async () => {
    const { turns, named } = createTurns(['192.0.2.1']);
    await turns.present(endpoint);
    named.addresses = ['192.0.2.2'];
    vi.advanceTimersByTime(20_000);
    await turns.lookAgain();
    vi.advanceTimersByTime(15_000);
    expect(await turns.goOn()).toBe('192.0.2.1');
    turns.noteHandshake(0);
    named.addresses = ['192.0.2.3'];
    vi.advanceTimersByTime(60_000);
    expect(await turns.lookAgain()).toBe(false);
    expect(await turns.present(endpoint)).toBe('192.0.2.1');
  });
});
