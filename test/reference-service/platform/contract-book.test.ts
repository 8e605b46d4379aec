import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { createClients } from '../../../src/reference-service/clients.ts';
import { openDatabase } from '../../../src/reference-service/database.ts';
import { createNetworks } from '../../../src/reference-service/networks.ts';
import {
  createContractBook,
  type NewContract,
} from '../../../src/reference-service/platform/contract-book.ts';
import { createProxies } from '../../../src/reference-service/proxies.ts';
import { makeDirectory } from '../../make-directory.ts';
import { listScans } from '../query-plan.ts';

const second = 1000;

/** A consumer and a provider of two networks, on a clock that is set by hand. */
function open() {
  const clock = { ms: 1_800_000_000_000 };
  const now = () => clock.ms;
  const database = openDatabase(makeDirectory());
  onTestFinished(() => database.close());
  const networks = createNetworks(database, now);
  const clients = createClients(database, createProxies(database), now);
  const create = (name: string) => {
    const { networkId } = networks.create(name);
    return clients.create({ networkId, description: '', deviceSpec: '', provideMode: 'none' });
  };
  const [consumer, provider] = [create('home'), create('away')];
  const paid: number[] = [];
  const book = createContractBook(database, {
    now,
    onPaid: ({ paidBytes }) => void paid.push(paidBytes),
  });
  const add = (more: Partial<NewContract> = {}) => {
    const contract: NewContract = {
      contractId: randomUUID(),
      sourceId: consumer.clientId,
      destinationId: provider.clientId,
      isCompanion: 0,
      mode: 3,
      byteCount: 1_000_000,
      payerId: consumer.networkId,
      payeeId: provider.networkId,
      createdMs: now(),
      ...more,
    };
    book.add(contract);
    return contract.contractId;
  };
  const answer = { sourceId: provider.clientId, destinationId: consumer.clientId };
  const reportBy =
    (clientId: string) => (contractId: string, bytes: number, kind: 'checkpoint' | 'close') =>
      book.report({ contractId, clientId, bytes, isCheckpoint: kind === 'checkpoint' });
  return {
    clock,
    book,
    add,
    paid,
    answer,
    byConsumer: reportBy(consumer.clientId),
    byProvider: reportBy(provider.clientId),
    byStranger: reportBy(randomUUID()),
  };
}

test('a contract is the origin of companions while it is open, and for 300 s after its close', () => {
  const { clock, book, add, answer, byConsumer, byProvider } = open();
  expect(book.hasOrigin(answer)).toBe(false);
  const contract = add();
  clock.ms += 3600 * second;
  expect(book.hasOrigin(answer)).toBe(true);
  byConsumer(contract, 5, 'close');
  byProvider(contract, 5, 'close');
  clock.ms += 299 * second;
  expect(book.hasOrigin(answer)).toBe(true);
  clock.ms += second;
  expect(book.hasOrigin(answer)).toBe(false);
  // The other way there is nothing to answer.
  const other = { sourceId: answer.destinationId, destinationId: answer.sourceId };
  expect(book.hasOrigin(other)).toBe(false);
});

test('a companion is an anchor too: the other end may answer by it', () => {
  const { clock, book, add, answer } = open();
  add({ isCompanion: 1, mode: 4 });
  clock.ms += second;
  expect(book.hasOrigin(answer)).toBe(true);
});

test('a forward may begin only by a contract that nobody reported anything of', () => {
  const { book, add, answer, byProvider } = open();
  const contract = add();
  expect(book.hasClean(answer)).toBe(true);
  byProvider(contract, 1, 'checkpoint');
  expect(book.hasClean(answer)).toBe(false);
  add();
  expect(book.hasClean(answer)).toBe(true);
});

test('force close leaves a contract five minutes, and a lone checkpoint one pass more', () => {
  const { clock, book, add, paid, byProvider, byConsumer } = open();
  const contract = add();
  add();
  byProvider(contract, 500, 'checkpoint');
  clock.ms += 300 * second;
  expect(book.forceClose()).toBe(0);
  clock.ms += 1;
  expect(book.forceClose()).toBe(2);
  expect(paid).toEqual([]);
  // What is reported between the passes is paid by half: the consumer's count is final.
  byProvider(contract, 100, 'checkpoint');
  clock.ms += 60 * second;
  book.forceClose();
  expect(paid).toEqual([550]);
  expect(byProvider(contract, 7, 'close')).toBe('closed');
  expect(byConsumer(contract, 11, 'close')).toBe('closed');
  expect(book.list(10).map(({ paidBytes, lateBytes }) => [paidBytes, lateBytes])).toEqual(
    expect.arrayContaining([
      [550, 7],
      [0, 0],
    ]),
  );
});

test('a dispute is paid by the mean after five minutes, and takes no more reports', () => {
  const { clock, book, add, paid, byProvider, byConsumer } = open();
  const contract = add({ byteCount: 100_000_000 });
  byConsumer(contract, 0, 'close');
  byProvider(contract, 50_000_000, 'close');
  expect(byProvider(contract, 1, 'close')).toBe('disputed');
  clock.ms += 299 * second;
  book.forceClose();
  expect(paid).toEqual([]);
  clock.ms += second;
  book.forceClose();
  expect(paid).toEqual([25_000_000]);
});

test('within a network, and by a stranger, nothing is paid', () => {
  const { book, add, paid, byProvider, byConsumer, byStranger } = open();
  const contract = add({ mode: 1 });
  expect(byStranger(contract, 5, 'close')).toBe('not-a-party');
  expect(byStranger(randomUUID(), 5, 'close')).toBe('not-found');
  byConsumer(contract, 5, 'close');
  byProvider(contract, 5, 'close');
  expect(paid).toEqual([]);
  expect(book.list(1)[0]).toMatchObject({ outcome: 'settled', paidBytes: 0 });
});

test('no question about contracts walks through a table, but for the list of the newest', async () => {
  const contractId = randomUUID();
  const pair = { sourceId: randomUUID(), destinationId: randomUUID() };
  const scans = await listScans(
    (database) => {
      database.exec('pragma foreign_keys = off');
      return createContractBook(database, { now: Date.now, onPaid: () => undefined });
    },
    (book) => {
      const terms = { isCompanion: 0, mode: 3, byteCount: 5, payerId: 'a', payeeId: 'b' } as const;
      book.add({ contractId, ...pair, ...terms, createdMs: 0 });
      book.hasOrigin(pair);
      book.hasClean(pair);
      book.hasOpen(pair);
      book.reservedBytes('a');
      book.report({ contractId, clientId: pair.sourceId, bytes: 1, isCheckpoint: true });
      book.forceClose();
      book.report({ contractId, clientId: pair.destinationId, bytes: 1, isCheckpoint: true });
      book.forceClose();
      book.report({ contractId, clientId: pair.destinationId, bytes: 1, isCheckpoint: true });
      book.list(1);
    },
  );
  const walks = scans.filter((scan) => scan.startsWith('SCAN contract'));
  expect(walks).toEqual([expect.stringContaining('order by rowid desc limit')]);
});
