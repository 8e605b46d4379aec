import { describe, expect, onTestFinished, test } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import { createClients } from '../../src/reference-service/clients.ts';
import { openDatabase } from '../../src/reference-service/database.ts';
import { createNetworks } from '../../src/reference-service/networks.ts';
import { createProxies } from '../../src/reference-service/proxies.ts';
import { startTunnelEnd } from '../../src/reference-service/tunnel-end.ts';
import { createUsageRepository } from '../../src/reference-service/usage.ts';
import { createUsageHistory } from '../../src/reference-service/usage-history.ts';
import { makeDirectory } from '../make-directory.ts';
import { createFakeNetwork } from './fake-network.ts';

const keys = { privateKey: new Secret('own'), publicKey: 'public of own' };
const internet = ['0.0.0.0/0', '::/0'];

function prepare(desired: 'auto' | 'on' | 'off' = 'on') {
  const directory = makeDirectory();
  const clock = { nowMs: 1_800_000_000_000 };
  const now = () => clock.nowMs;
  const database = openDatabase(directory);
  const proxies = createProxies(database);
  const clients = createClients(database, proxies, now);
  const usage = createUsageRepository(database);
  const history = createUsageHistory(database);
  const { networkId } = createNetworks(database, now).ensureFirst();
  const network = createFakeNetwork((privateKey) => `public of ${privateKey}`);
  const warnings: string[] = [];

  function register(): string {
    const proxy = { needsUrls: false, needsTunnel: true };
    const text = { description: '', deviceSpec: '' };
    return clients.create({
      ...text,
      networkId,
      sourceClientId: undefined,
      provideMode: 'public',
      proxy,
    }).clientId;
  }
  function peerOf(clientId: string) {
    const key = proxies.find(clientId)?.tunnel?.publicKey ?? '';
    return network.links.get('ref0')?.peers.get(key);
  }
  /** As if the client's device had just spoken, and moved so much since the start. */
  function shakeHands(clientId: string, rxBytes = 0) {
    const peer = peerOf(clientId);
    if (peer !== undefined) Object.assign(peer, { handshakeAt: clock.nowMs / 1000, rxBytes });
  }
  async function start() {
    const end = await startTunnelEnd({
      exec: network.exec,
      desired,
      wireGuard: { name: 'ref0', keys, port: 51_820, directory },
      proxies,
      usage,
      now,
      warn: (message) => warnings.push(message),
    });
    onTestFinished(() => end.close());
    return end;
  }
  const isOnline = (clientId: string) =>
    database.prepare('select is_online as isOnline from client where client_id = ?').get(clientId)
      ?.isOnline === 1;
  const hasInternet = (clientId: string) =>
    internet.every((prefix) => peerOf(clientId)?.allowedIps.includes(prefix));
  return {
    clock,
    clients,
    history,
    isOnline,
    network,
    warnings,
    register,
    peerOf,
    shakeHands,
    start,
    hasInternet,
  };
}

describe('the WireGuard end', () => {
  test('begins with every client as a peer that has its own address only', async () => {
    const { register, peerOf, start } = prepare();
    const clients = [register(), register()];
    await start();
    expect(clients.map((client) => peerOf(client)?.allowedIps)).toEqual([
      ['10.64.0.1/32'],
      ['10.64.0.2/32'],
    ]);
  });
  test('takes a client that registers while it runs as a peer', async () => {
    const { register, peerOf, start } = prepare();
    const end = await start();
    const client = register();
    await end.reconcile();
    expect(peerOf(client)?.allowedIps).toEqual(['10.64.0.1/32']);
  });
  test("gives consumers' traffic to a connected client, and takes it back at once when it turns to none", async () => {
    const { clients, register, shakeHands, start, hasInternet } = prepare();
    const client = register();
    const end = await start();
    shakeHands(client);
    await end.reconcile();
    expect(hasInternet(client)).toBe(true);
    clients.setProvideMode(client, 'none');
    await end.reconcile();
    expect(hasInternet(client)).toBe(false);
  });
  test("hands consumers' traffic over when the provider falls silent", async () => {
    const { clock, register, shakeHands, start, hasInternet } = prepare();
    const [one, two] = [register(), register()];
    const end = await start();
    shakeHands(one);
    await end.reconcile();
    clock.nowMs += 181_000;
    shakeHands(two);
    await end.reconcile();
    expect([hasInternet(one), hasInternet(two)]).toEqual([false, true]);
  });
  test('says everything again after a command that failed though it took effect', async () => {
    const { clients, network, register, shakeHands, start, hasInternet } = prepare();
    const client = register();
    const end = await start();
    shakeHands(client);
    await end.reconcile();
    network.failing.add('wg set ref0');
    network.failsLate = true;
    clients.setProvideMode(client, 'none');
    await end.reconcile();
    expect(hasInternet(client)).toBe(false);
    network.failing.clear();
    clients.setProvideMode(client, 'public');
    await end.reconcile();
    expect(hasInternet(client)).toBe(true);
  });
  test('tries again, and complains once, while a command fails', async () => {
    const { clients, network, warnings, register, shakeHands, start, hasInternet } = prepare();
    const client = register();
    const end = await start();
    shakeHands(client);
    await end.reconcile();
    clients.setProvideMode(client, 'none');
    network.failing.add('wg set ref0');
    await end.reconcile();
    await end.reconcile();
    expect(warnings).toHaveLength(1);
    network.failing.clear();
    await end.reconcile();
    expect(hasInternet(client)).toBe(false);
  });
  test('writes what moved into the usage book, to whom it was given', async () => {
    const { clock, history, isOnline, register, shakeHands, start } = prepare();
    const client = register();
    const end = await start();
    shakeHands(client);
    await end.reconcile();
    clock.nowMs += 5000;
    shakeHands(client, 1_000_000);
    await end.sample();
    const [hour] = history.listHours(client, 0);
    expect([hour?.rxBytes, hour?.onlineMs, hour?.sessions]).toEqual([1_000_000, 5000, 1]);
    expect(isOnline(client)).toBe(true);
  });
  test('counts another session after a short while of none', async () => {
    const { clients, history, register, shakeHands, start } = prepare();
    const client = register();
    const end = await start();
    for (const [mode, rxBytes] of [
      ['public', 0],
      ['none', 100_000],
      ['public', 100_000],
      ['none', 200_000],
    ] as const) {
      shakeHands(client, rxBytes);
      clients.setProvideMode(client, mode);
      await end.reconcile();
    }
    expect(history.listHours(client, 0)[0]?.sessions).toBe(2);
  });
  test('takes its interface away when it closes', async () => {
    const { network, start } = prepare();
    await (await start()).close();
    expect(network.links.size).toBe(0);
  });
});

describe('where no interface can be made', () => {
  test('auto goes on without one, and says why', async () => {
    const { network, warnings, start } = prepare('auto');
    network.missing.add('wg');
    const end = await start();
    expect(end.state).toEqual({ state: 'off', reason: 'configuring ref0: no wg' });
    expect(warnings).toEqual(['no WireGuard here: configuring ref0: no wg']);
    await end.reconcile();
  });
  test('on fails', async () => {
    const { network, start } = prepare('on');
    network.missing.add('wg');
    await expect(start()).rejects.toThrow('no wg');
  });
  test('off runs nothing at all', async () => {
    const { network, start } = prepare('off');
    expect((await start()).state.state).toBe('off');
    expect(network.ran).toEqual([]);
  });
});
