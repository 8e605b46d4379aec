import { expect, test } from 'vitest';
import type { Books } from '../../../src/connect/contract/account.ts';
import { createKeeper } from '../../../src/connect/engine/keeper.ts';
import { longestLineWithBooks } from '../../../src/connect/engine/messages.ts';
import { readFromEngine } from '../../../src/connect/engine/read-messages.ts';

const uuid = '0198f6a1-0000-4000-8000-0123456789ab';
const account = { contract: uuid, peer: uuid, byteCount: 1, createdAt: 1, counted: 1, reported: 1 };
const consumer = {
  peer: uuid,
  sequence: uuid,
  lane: '000',
  mode: 3,
  heardAt: 1,
  addresses: ['0a000001:64700002'],
};

const fill = (bytes: number): Books['received'] =>
  Array(Math.floor(bytes / (JSON.stringify(account).length + 1))).fill(account);

function openKeeper() {
  const lines: string[] = [];
  const keeper = createKeeper({
    write: (line) => lines.push(line),
    beside: () => ({ largestId: null, published: null }),
  });
  return { keeper, lines };
}

test('where not everything fits into a line, what is paid is kept, and who is there is not', async () => {
  const { keeper, lines } = openKeeper();
  const received = fill(longestLineWithBooks - 200);
  const { signal } = new AbortController();
  const small = keeper.keep({ received: [account], own: [], consumers: [consumer] }, signal);
  await expect.poll(() => lines.length).toBe(1);
  expect(keeper.isWaiting()).toBe(true);
  keeper.kept(1);
  await small;
  await expect.poll(keeper.isWaiting).toBe(false);
  const crowd = Array.from({ length: 100 }, () => consumer);
  const large = keeper.keep({ received, own: [], consumers: crowd }, signal);
  await expect.poll(() => lines.length).toBe(2);
  keeper.kept(2);
  await large;
  expect(lines.map((line) => line.length <= longestLineWithBooks)).toEqual([true, true]);
  const consumersOf = (line: string | undefined) => {
    const message = readFromEngine((line ?? '').trimEnd());
    return message.type === 'keep' ? message.books.consumers : undefined;
  };
  expect(consumersOf(lines[0])).toEqual([consumer]);
  expect(consumersOf(lines[1])).toEqual([]);

  const tooMuch = keeper.keep({ received: fill(longestLineWithBooks + 1000), own: [] }, signal);
  await expect(tooMuch).rejects.toThrow('too long');
});
