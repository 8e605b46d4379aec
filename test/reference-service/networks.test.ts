import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/reference-service/database.ts';
import { createNetworks, createWallets } from '../../src/reference-service/networks.ts';
import { createUsageHistory } from '../../src/reference-service/usage-history.ts';
import { makeDirectory } from '../make-directory.ts';
import { askEverything } from './ask-everything.ts';
import { listScans } from './query-plan.ts';

function open() {
  const database = openDatabase(makeDirectory());
  const networks = createNetworks(database, () => 1_800_000_000_000);
  return { database, networks, network: networks.ensureFirst() };
}

test('there is one first network, however often it is asked for, and whatever was made at the same moment', () => {
  const { networks, network } = open();
  networks.create('another');
  networks.createGuest();
  expect(networks.ensureFirst()).toEqual(network);
});

describe('a network name', () => {
  test.each([
    ['nothing', ''],
    ['only blanks', '   '],
    ['a blank at its end', 'home '],
    ['a line end', 'ho\nme'],
    ['a line separator', 'ho\u2028me'],
    ['a paragraph separator', 'ho\u2029me'],
    ['a blank without width', 'ho\u200bme'],
    ['nothing that can be seen', '\u3164'],
    ['a character that turns the direction round', 'ho\u202eme'],
    ['more than 63 characters', 'x'.repeat(64)],
    ["another network's name", 'neighbour'],
    ["another network's name in capitals", 'NEIGHBOUR'],
  ])('cannot be %s', (_, name) => {
    const { networks } = open();
    networks.create('neighbour');
    const guest = networks.createGuest();
    const refused = expect.objectContaining({ code: 'usage-invalid' });
    expect(() => networks.create(name)).toThrow(refused);
    expect(() => networks.upgrade(guest.networkId, name)).toThrow(refused);
    expect(networks.find(guest.networkId)).toEqual(guest);
  });
  test.each(['x', '👋'.repeat(63), 'Zum Bären', '👨‍👩‍👧'])('can be %s', (name) => {
    expect(open().networks.create(name).networkName).toBe(name);
  });
});

describe('a network is found', () => {
  test('by its id, by its name in capitals or not, and the first without either', () => {
    const { networks, network } = open();
    const other = networks.create('Neighbour');
    const found = [other.networkId, 'Neighbour', 'neighbour', undefined].map((text) =>
      networks.resolve(text),
    );
    expect(found).toEqual([other, other, other, network]);
  });
  test('not by anything else', () => {
    expect(() => open().networks.resolve('nobody')).toThrow(
      expect.objectContaining({ code: 'usage-invalid' }),
    );
  });
});

describe('a guest session', () => {
  test('is upgraded once, and only a guest session is', () => {
    const { networks, network } = open();
    const guest = networks.createGuest();
    const permanent = { ...guest, networkName: 'home', kind: 'permanent' };
    expect(networks.upgrade(guest.networkId, 'home')).toEqual(permanent);
    expect(networks.find(guest.networkId)).toEqual(permanent);
    for (const { networkId } of [guest, network]) {
      expect(() => networks.upgrade(networkId, 'new')).toThrow(/not a guest session/);
    }
  });
  test('is kept for whoever tries the service, and replaced once it was upgraded', () => {
    const { networks } = open();
    const guest = networks.ensureGuest();
    expect(networks.ensureGuest()).toEqual(guest);
    networks.upgrade(guest.networkId, 'home');
    const next = networks.ensureGuest();
    expect(next.networkId).not.toBe(guest.networkId);
    expect(networks.ensureGuest()).toEqual(next);
  });
});

test('no question walks over all networks or wallets', async () => {
  const now = () => 0;
  const ofNetworks = listScans(
    (database) => createNetworks(database, now),
    (networks) => {
      networks.ensureFirst();
      networks.ensureGuest();
      networks.resolve(networks.create('home').networkName);
      networks.upgrade(networks.createGuest().networkId, 'was a guest');
      networks.find('nobody');
    },
  );
  const ofWallets = listScans(
    (database) => createWallets(database, now),
    (wallets, database) => {
      const { networkId } = createNetworks(database, now).ensureFirst();
      const kind = {
        walletType: 'external',
        blockchain: 'SOL',
        walletAddress: 'address',
        active: 1,
      } as const;
      wallets.choosePayoutWallet(networkId, wallets.add({ ...kind, networkId }).walletId);
      wallets.findPayoutWallet(networkId);
      const [wallet] = wallets.list(networkId);
      wallets.remove(networkId, wallet?.walletId ?? '');
    },
  );
  const ofUse = await listScans(createUsageHistory, askEverything);
  // Of one network's clients, which are sorted: usage-plans.test.ts holds that none of it walks
  // through a table.
  const ofClients = /from client where network_id = \?|client\.sequence > \?/;
  const scans = [...(await ofNetworks), ...(await ofWallets), ...ofUse];
  expect(scans.filter((scan) => !ofClients.test(scan))).toEqual([]);
});

test('the one leaderboard question leaves guests and those that provided nothing unread', () => {
  const { database, networks } = open();
  const guest = networks.createGuest();
  const names = ['little', 'nothing', 'much'].map((name) => networks.create(name));
  const provide = database.prepare('update network set provided_bytes = ? where network_id = ?');
  for (const [index, bytes] of [1, 0, 5].entries())
    provide.run(bytes, names[index]?.networkId ?? '');
  provide.run(9, guest.networkId);
  const { listEarners } = createUsageHistory(database);
  expect(
    listEarners(100).map(({ networkName, providedBytes }) => [networkName, providedBytes]),
  ).toEqual([
    ['much', 5],
    ['little', 1],
  ]);
  expect(listEarners(1)).toHaveLength(1);
});
