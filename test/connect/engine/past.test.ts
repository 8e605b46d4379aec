import { expect, test } from 'vitest';
import { loadAccount, makeClose } from '../../../src/connect/contract/account.ts';
import { closedByServiceAge, mostLateBytes } from '../../../src/connect/contract/ages.ts';
import { toPast } from '../../../src/connect/engine/past.ts';

const now = 1_800_000_000_000;
const account = {
  contract: '0190a5d4-5f2e-7b3c-8d4e-5f6071829304',
  peer: '0190a5d4-5f2e-7b3c-8d4e-5f6071829305',
  byteCount: 64_000_000,
  counted: 50_000_000,
  reported: 10_000_000,
};

test.each([
  ['does not say what came late, of a closed contract', closedByServiceAge, {}, mostLateBytes],
  ['does not say what came late, of an open contract', closedByServiceAge - 1, {}, 40_000_000],
  ['says that nothing came late', closedByServiceAge, { bridged: 0 }, 40_000_000],
  ['says that all of it came late', 0, { bridged: 40_000_000 }, mostLateBytes],
])(
  'of books that %s, at an age of %i ms, no more is reported than is no dispute',
  (_, age, said, expected) => {
    const saved = { ...account, createdAt: now - age, ...said };
    const [own] = toPast({ received: [], own: [saved] }, now).own;
    expect(own && makeClose(loadAccount(own))?.ackedByteCount).toBe(expected);
  },
);

test('what is finished stays so', () => {
  const finished = { contracts: [account.contract], forgottenUpTo: account.peer };
  expect(toPast({ received: [], own: [], finished }, now).finished).toEqual(finished);
});

test('what was made in the future of this clock is as old as its start', () => {
  const saved = { ...account, createdAt: now + 1 };
  const { own, received } = toPast({ received: [saved], own: [saved] }, now);
  expect([own[0]?.createdAt, received[0]?.createdAt]).toEqual([now, now]);
});
