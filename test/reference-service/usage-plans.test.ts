import type { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { createClients } from '../../src/reference-service/clients.ts';
import { createNetworks } from '../../src/reference-service/networks.ts';
import { createPresence } from '../../src/reference-service/presence.ts';
import { createProxies } from '../../src/reference-service/proxies.ts';
import { createUsageRepository } from '../../src/reference-service/usage.ts';
import { createUsageHistory } from '../../src/reference-service/usage-history.ts';
import { createWorld } from '../../src/reference-service/world.ts';
import { askEverything } from './ask-everything.ts';
import { listScans } from './query-plan.ts';

/** Sorting what one page or one network has is no walk through a table. */
const walks = async (scans: Promise<readonly string[]>) =>
  (await scans).filter((scan) => scan.startsWith('SCAN'));

const prepareClients = (database: DatabaseSync) =>
  createClients(database, createProxies(database), Date.now);
const text = { description: '', deviceSpec: '' };

function register(database: DatabaseSync, clients = prepareClients(database)) {
  const { networkId } = createNetworks(database, Date.now).ensureFirst();
  const proxy = { needsUrls: true, needsTunnel: true };
  return clients.create({
    ...text,
    networkId,
    provideMode: 'public',
    place: createWorld().home,
    proxy,
  });
}

test('no question about use or clients walks through a table', async () => {
  expect(await walks(listScans(createUsageHistory, askEverything))).toEqual([]);
  const ofClients = listScans(prepareClients, (clients, database) => {
    const { networkId, clientId } = register(database, clients);
    clients.get(networkId, clientId);
    clients.find(networkId, clientId);
    clients.networkOf(clientId);
    clients.count(networkId);
    clients.listPages(networkId).toArray();
    clients.listPages(networkId, clientId).toArray();
    clients.reauthenticate(clientId, text);
    clients.setProvideMode(clientId, 'none');
    clients.move(clientId, createWorld().home);
    clients.handOver(clientId, { networkId, description: '' });
    clients.rename(networkId, 'nobody has this', 'name');
    clients.remove(clientId);
  });
  expect(await walks(ofClients)).toEqual([]);
});

test('who is present is looked for among the real clients that are online', async () => {
  for (const hasTunnelEnd of [true, false]) {
    const usage = {
      add: () => {},
      noteSearches: () => {},
      keepSearches: () => {},
      disconnectAll: () => {},
    };
    const times = [0, 10_000, 20_000, 30_000];
    const now = () => times.shift() ?? 40_000;
    const scans = listScans(
      (database) => createPresence(database, { usage, hasTunnelEnd, hasSocket: () => false, now }),
      (presence, database) => {
        database.exec(`insert into network values ('home', 'home', 'user', 0, 'permanent', 0, null, 0);
          insert into client (client_id, network_id, device_id, description, device_spec, created_ms, authenticated_ms,
            provide_mode) values ('client', 'home', 'device', '', '', 0, 0, 'public')`);
        presence.noteAuthentication('client');
        presence.sample();
        presence.sampleNow();
      },
    );
    expect(await walks(scans)).toEqual([]);
  }
});

test('peers are looked for among the real clients, and a start alone ends what was left open', async () => {
  const ofProxies = listScans(createProxies, (proxies, database) => {
    const { networkId, clientId } = register(database);
    proxies.issue(clientId, { needsUrls: true, needsTunnel: true });
    proxies.find(clientId);
    proxies.listIn({ networkId, afterSequence: 0, lastSequence: 9 });
    proxies.listPeers();
  });
  expect(await walks(ofProxies)).toEqual([
    expect.stringMatching(/^SCAN client USING INDEX client_online: /),
  ]);
  const ofUsage = listScans(createUsageRepository, (usage, database) => {
    const { clientId } = register(database);
    const moved = {
      rxBytes: 1e6,
      txBytes: 1e6,
      onlineMs: 60_000,
      sessions: 1,
      searches: 0,
      consumerBytes: 2e6,
    };
    for (const isConnected of [true, false]) {
      usage.add([{ ...moved, clientId, isConnected, atMs: 7_200_000, bytesPerSecond: 1e6 }]);
    }
    usage.noteSearches([clientId], 7_200_000);
    usage.keepSearches();
    usage.disconnectAll(7_200_000);
  });
  const ofGivenClients = expect.stringMatching(/^SCAN json_each /);
  expect(await walks(ofUsage)).toEqual([
    ofGivenClients,
    ofGivenClients,
    expect.stringMatching(/^SCAN connection USING INDEX connection_open: /),
  ]);
});
