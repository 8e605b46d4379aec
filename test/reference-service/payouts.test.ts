import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { dayMs, hourMs } from '../../src/lib/units.ts';
import { createClients } from '../../src/reference-service/clients.ts';
import { openDatabase } from '../../src/reference-service/database.ts';
import { createNetworks, createWallets } from '../../src/reference-service/networks.ts';
import { createPayouts, findLastSunday } from '../../src/reference-service/payouts.ts';
import { createContractBook } from '../../src/reference-service/platform/contract-book.ts';
import { createProxies } from '../../src/reference-service/proxies.ts';
import { createUsageRepository, noTraffic } from '../../src/reference-service/usage.ts';
import { makeDirectory } from '../make-directory.ts';

const friday = Date.UTC(2026, 2, 13, 12);

/** A network that provides on Friday, and again on Monday. */
function provide({ countsCompanions = true } = {}) {
  const database = openDatabase(makeDirectory());
  onTestFinished(() => database.close());
  let nowMs = friday;
  const now = () => nowMs;
  const { networkId } = createNetworks(database, now).ensureFirst();
  const { clientId } = createClients(database, createProxies(database), now).create({
    networkId,
    description: '',
    deviceSpec: '',
    sourceClientId: undefined,
    proxy: undefined,
    provideMode: 'public',
  });
  const usage = createUsageRepository(database);
  const book = createContractBook(database, { now, onPaid: () => undefined });
  const move = (rxBytes: number, txBytes: number) =>
    usage.add([{ ...noTraffic, clientId, isConnected: true, atMs: nowMs, rxBytes, txBytes }]);
  /** What a consumer downloads by a contract that both ends close. */
  const download = (bytes: number) => {
    const contractId = `of ${nowMs}`;
    const parties = {
      sourceId: clientId,
      destinationId: clientId,
      isCompanion: 1,
      mode: 4,
    } as const;
    const money = { payerId: networkId, payeeId: networkId };
    book.add({ contractId, ...parties, ...money, byteCount: 1e9, createdMs: nowMs });
    database
      .prepare(
        "update contract set source_state = 'closed', source_bytes = ? where contract_id = ?",
      )
      .run(bytes, contractId);
    book.forceClose();
    nowMs += hourMs;
    book.forceClose();
  };
  const payouts = createPayouts(database, { now, countsCompanions });
  move(1000, 200);
  download(50);
  nowMs = friday + 3 * dayMs;
  move(30, 4);
  download(7);
  return {
    read: () => payouts.sum(networkId),
    choose() {
      const wallets = createWallets(database, now);
      const { walletId } = wallets.add({
        networkId,
        walletType: 'external',
        blockchain: 'SOL',
        walletAddress: 'where it goes',
        active: 1,
      });
      wallets.choosePayoutWallet(networkId, walletId);
    },
  };
}

test('what was provided before the last Sunday is paid, and what came after is not', () => {
  const { read, choose } = provide();
  choose();
  expect(read()).toEqual({ paidBytes: 1200, unpaidBytes: 34 });
});

test('nothing is paid without a wallet', () => {
  expect(provide().read()).toEqual({ paidBytes: 0, unpaidBytes: 1234 });
});

test('what consumers download counts, also where the statistics of providers leave it out', () => {
  const { read, choose } = provide({ countsCompanions: false });
  expect(read()).toEqual({ paidBytes: 0, unpaidBytes: 1234 + 57 });
  choose();
  expect(read()).toEqual({ paidBytes: 1250, unpaidBytes: 41 });
});

test('the last Sunday is a Sunday, at midnight, and less than a week ago', () => {
  fc.assert(
    fc.property(fc.integer({ min: dayMs * 7, max: 4e12 }), (atMs) => {
      const sunday = findLastSunday(atMs);
      expect(new Date(sunday).toUTCString()).toMatch(/^Sun, .* 00:00:00 GMT$/);
      expect(atMs - sunday).toBeGreaterThanOrEqual(0);
      expect(atMs - sunday).toBeLessThan(7 * dayMs);
    }),
  );
});
