import { expect, test } from 'vitest';
import { contract, storedContract } from '../../../src/connect/wire/contract-messages.ts';
import type { Id } from '../../../src/connect/wire/id.ts';
import { decode } from '../../../src/connect/wire/message.ts';
import { createConsumerContracts } from '../../../src/reference-service/consumer/consumer-contracts.ts';
import { makeContract, testIds } from '../../connect/support/contracts.ts';

const mebibyte = 1024 * 1024;
const ids = testIds();
const [ownId, providerId] = [ids.next(1), ids.next(1)];

function open() {
  const contracts = createConsumerContracts({ ownId, providerId, longestUnused: 120_000 });
  const make = (byteCount: number, sourceId: Id = ownId) =>
    makeContract({
      contractId: ids.next(2),
      sourceId,
      destinationId: providerId,
      byteCount,
      secret: Buffer.alloc(32),
      mode: 3,
    });
  return { contracts, make };
}

const idOf = (bytes: Buffer) =>
  decode(storedContract, decode(contract, bytes).storedBytes).contractId;

test('a contract carries four fifths of its bytes, and the next one is there by then', () => {
  const { contracts, make } = open();
  expect(contracts.step(0).ask).toBeUndefined();
  expect(contracts.take(1000, 0).kind).toBe('waits');
  expect(contracts.step(0).ask).toBe(mebibyte);
  const first = make(10_000);
  contracts.granted(first, 0);
  expect(contracts.take(1000, 0).kind).toBe('opens');
  expect(contracts.take(7999, 0).kind).toBe('charged');
  // Larger ones follow.
  expect(contracts.step(0).ask).toBe(mebibyte + (127 * mebibyte) / 4);
  expect(contracts.take(1, 0).kind).toBe('waits');
  contracts.granted(make(10_000), 0);
  const opened = contracts.take(1, 0);
  expect(opened.kind).toBe('opens');
  // The first is closed once all of it is acknowledged.
  expect(contracts.step(0).reports).toEqual([]);
  contracts.acked({ contractId: idOf(first), contract: first }, 8000);
  expect(contracts.step(0).reports).toEqual([
    { contractId: idOf(first), ackedByteCount: 8000, unackedByteCount: 0, isCheckpoint: false },
  ]);
});

test('it is never rolled over for its age, and an unused spare is given back', () => {
  const { contracts, make } = open();
  contracts.take(10, 0);
  contracts.step(0);
  contracts.granted(make(mebibyte), 0);
  contracts.take(10, 0);
  contracts.step(0);
  const spare = make(mebibyte);
  contracts.granted(spare, 0);
  const tenHours = 36_000_000;
  expect(contracts.take(10, tenHours).kind).toBe('charged');
  expect(contracts.step(tenHours)).toEqual({
    ask: undefined,
    reports: [
      { contractId: idOf(spare), ackedByteCount: 0, unackedByteCount: 0, isCheckpoint: false },
    ],
  });
});

test("another's contract is refused", () => {
  const { contracts, make } = open();
  contracts.take(10, 0);
  contracts.step(0);
  expect(contracts.granted(make(mebibyte, providerId), 0)).toBe(false);
  expect(contracts.take(10, 0).kind).toBe('waits');
});
