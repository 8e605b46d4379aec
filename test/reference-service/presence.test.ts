import { describe, expect, test } from 'vitest';
import { createClients } from '../../src/reference-service/clients.ts';
import { openDatabase } from '../../src/reference-service/database.ts';
import { createNetworks } from '../../src/reference-service/networks.ts';
import { createPresence } from '../../src/reference-service/presence.ts';
import { createProxies } from '../../src/reference-service/proxies.ts';
import { createUsageRepository, sumUsage } from '../../src/reference-service/usage.ts';
import { createUsageHistory } from '../../src/reference-service/usage-history.ts';
import { makeDirectory } from '../make-directory.ts';

const second = 1000;

function open({ hasTunnelEnd = false, needsTunnel = false } = {}) {
  const clock = { nowMs: 1_800_000_000_000 };
  const now = () => clock.nowMs;
  const database = openDatabase(makeDirectory());
  const { networkId } = createNetworks(database, now).ensureFirst();
  const clients = createClients(database, createProxies(database), now);
  const history = createUsageHistory(database);
  const presence = createPresence(database, {
    usage: createUsageRepository(database),
    hasTunnelEnd,
    hasSocket: () => false,
    now,
  });
  const text = { description: '', deviceSpec: '' };
  const proxy = { needsUrls: false, needsTunnel };
  const { clientId } = clients.create({
    ...text,
    networkId,
    sourceClientId: undefined,
    provideMode: 'public',
    proxy,
  });
  const authenticate = () => {
    presence.noteAuthentication(clientId);
    clients.reauthenticate(clientId, text);
  };
  const pass = (seconds: number) => {
    clock.nowMs += seconds * second;
  };
  const isOnline = () =>
    database.prepare('select is_online as isOnline from client').get()?.isOnline === 1;
  const onlineSeconds = () => sumUsage(history.listHours(clientId, 0)).onlineMs / second;
  const listConnections = () => {
    const rows =
      history.connectionsIn({ networkId, afterSequence: 0, lastSequence: 9 }, 0).get(clientId) ??
      [];
    return rows.map(({ connectedMs, disconnectedMs }) => [
      (connectedMs - 1_800_000_000_000) / second,
      disconnectedMs === null ? null : (disconnectedMs - 1_800_000_000_000) / second,
    ]);
  };
  const simulate = () => database.exec('update client set is_simulated = 1');
  return { authenticate, pass, presence, isOnline, onlineSeconds, listConnections, simulate };
}

describe('a client without a tunnel that ends here', () => {
  test('is connected at once when it authenticates, and for three minutes', () => {
    const { authenticate, pass, presence, isOnline, onlineSeconds, listConnections } = open();
    expect(isOnline()).toBe(false);
    authenticate();
    expect(isOnline()).toBe(true);
    pass(179);
    presence.sample();
    expect([isOnline(), onlineSeconds()]).toEqual([true, 179]);
    pass(1);
    presence.sample();
    expect([isOnline(), onlineSeconds()]).toEqual([false, 180]);
    expect(listConnections()).toEqual([[0, 180]]);
  });
  test('stays connected while it comes back in time', () => {
    const { authenticate, pass, presence, onlineSeconds, listConnections } = open();
    for (let time = 0; time < 5; time += 1) {
      authenticate();
      pass(100);
    }
    presence.sample();
    expect([onlineSeconds(), listConnections()]).toEqual([500, [[0, null]]]);
  });
  test('was gone when its time was over, however late that is noticed', () => {
    const { authenticate, pass, presence, onlineSeconds, listConnections } = open();
    authenticate();
    pass(3600);
    presence.sample();
    expect([onlineSeconds(), listConnections()]).toEqual([180, [[0, 180]]]);
  });
  test('was gone in between when it comes back late', () => {
    const { authenticate, pass, presence, onlineSeconds, listConnections } = open();
    authenticate();
    pass(1000);
    authenticate();
    pass(20);
    presence.sample();
    expect([onlineSeconds(), listConnections()]).toEqual([
      200,
      [
        [0, 180],
        [1000, null],
      ],
    ]);
  });
  test('is not online twice as long for being asked about often, nor while the clock goes back', () => {
    const { authenticate, pass, presence, onlineSeconds } = open();
    authenticate();
    for (const seconds of [0.2, 0.2, 30, 0.1, -20, 10, 20]) {
      pass(seconds);
      presence.sample();
    }
    pass(200);
    presence.sample();
    expect(onlineSeconds()).toBeGreaterThanOrEqual(180);
    expect(onlineSeconds()).toBeLessThanOrEqual(200);
  });
  test('is what the seed made it, where it is simulated', () => {
    const { authenticate, pass, presence, isOnline, simulate } = open();
    authenticate();
    simulate();
    pass(1000);
    presence.sample();
    expect(isOnline()).toBe(true);
  });
});

describe('where tunnels end here', () => {
  test('a client that holds one is told of by its handshakes alone', () => {
    const { authenticate, isOnline } = open({ hasTunnelEnd: true, needsTunnel: true });
    authenticate();
    expect(isOnline()).toBe(false);
  });
  test('a client that holds none is connected when it authenticates', () => {
    const { authenticate, isOnline } = open({ hasTunnelEnd: true });
    authenticate();
    expect(isOnline()).toBe(true);
  });
});
