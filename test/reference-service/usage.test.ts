import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dayMs, hourMs } from '../../src/lib/units.ts';
import { createClients } from '../../src/reference-service/clients.ts';
import { openDatabase } from '../../src/reference-service/database.ts';
import { createNetworks } from '../../src/reference-service/networks.ts';
import { createProxies } from '../../src/reference-service/proxies.ts';
import {
  type ClientUsage,
  createUsageRepository,
  noUsage,
  sumUsage,
} from '../../src/reference-service/usage.ts';
import { createUsageHistory } from '../../src/reference-service/usage-history.ts';
import { makeDirectory } from '../make-directory.ts';

const startMs = Math.ceil(1_800_000_000_000 / dayMs) * dayMs;

function open() {
  const database = openDatabase(makeDirectory());
  const { networkId } = createNetworks(database, () => startMs).ensureFirst();
  const clients = createClients(database, createProxies(database), () => startMs);
  const register = () => {
    const text = { description: '', deviceSpec: '', sourceClientId: undefined, proxy: undefined };
    return clients.create({ ...text, networkId, provideMode: 'public' }).clientId;
  };
  const clientId = register();
  const repository = createUsageRepository(database);
  const add = (afterMs: number, usage: Partial<ClientUsage>) => {
    const nothing = {
      ...noUsage,
      clientId,
      isConnected: true,
      consumerBytes: 0,
      bytesPerSecond: undefined,
    };
    repository.add([{ ...nothing, ...usage, atMs: startMs + afterMs }]);
  };
  const history = createUsageHistory(database);
  const everyone = { networkId, afterSequence: 0, lastSequence: 1000 };
  const listConnections = (sinceMs: number) =>
    history.connectionsIn(everyone, sinceMs).get(clientId) ?? [];
  const networkHours = () => createUsageHistory(database).listNetworkHours(networkId, 0);
  const row = (sql: string) => database.prepare(sql).get();
  return {
    database,
    repository,
    history,
    everyone,
    clientId,
    register,
    add,
    listConnections,
    networkHours,
    row,
  };
}

describe('the usage book', () => {
  test('adds up within an hour, and begins anew with the next', () => {
    const { history, clientId, add } = open();
    add(10, { rxBytes: 100, onlineMs: 10 });
    add(hourMs - 1, { rxBytes: 200, onlineMs: 10 });
    add(hourMs + 10, { rxBytes: 400, onlineMs: 10 });
    const hours = history.listHours(clientId, startMs);
    expect(hours.map((hour) => [hour.hourMs - startMs, hour.rxBytes, hour.onlineMs])).toEqual([
      [0, 300, 20],
      [hourMs, 400, 10],
    ]);
    expect(history.listHours(clientId, startMs + hourMs)).toHaveLength(1);
  });
  test('counts time online in the hours and days that it was spent in', () => {
    const { history, clientId, add, networkHours } = open();
    add(hourMs + 60_000, { rxBytes: 7, onlineMs: 2 * hourMs });
    const hours = history.listHours(clientId, 0);
    expect(
      hours.map((hour) => [(hour.hourMs - startMs) / hourMs, hour.onlineMs / 60_000, hour.rxBytes]),
    ).toEqual([
      [-1, 59, 0],
      [0, 60, 0],
      [1, 1, 7],
    ]);
    expect(networkHours().map((hour) => hour.onlineMs / 60_000)).toEqual([59, 60, 1]);
    expect(history.listDays(clientId, startMs - dayMs).map((day) => day.onlineMs / 60_000)).toEqual(
      [59, 61],
    );
  });
  test('has days that are the sums of their hours, and a network that has what its clients had, whatever happens', () => {
    const stretch = fc.record({
      gapMs: fc.nat(5 * hourMs),
      rxBytes: fc.nat(1e9),
      txBytes: fc.nat(1e9),
      onlineMs: fc.nat(3 * hourMs),
      sessions: fc.nat(3),
    });
    fc.assert(
      fc.property(fc.array(stretch, { maxLength: 20 }), (stretches) => {
        const { history, clientId, add, networkHours, row } = open();
        let afterMs = 0;
        for (const { gapMs, ...usage } of stretches) {
          afterMs += gapMs;
          add(afterMs, usage);
        }
        const total = sumUsage(stretches.map((usage) => ({ ...noUsage, ...usage })));
        expect(sumUsage(history.listHours(clientId, 0))).toEqual(total);
        expect(sumUsage(history.listDays(clientId, 0))).toEqual(total);
        expect(networkHours().reduce((sum, hour) => sum + hour.onlineMs, 0)).toBe(total.onlineMs);
        expect(row('select provided_bytes as bytes from network')?.bytes).toBe(
          total.rxBytes + total.txBytes,
        );
      }),
      { numRuns: 15 },
    );
  });
  test('counts each client once in an hour of its network', () => {
    const { register, add, networkHours } = open();
    const other = register();
    add(1000, { onlineMs: 500 });
    add(2000, { onlineMs: 500 });
    add(2000, { onlineMs: 500, clientId: other });
    add(hourMs + 1000, { onlineMs: 500 });
    expect(networkHours().map((hour) => [hour.onlineClients, hour.onlineMs])).toEqual([
      [2, 1500],
      [1, 500],
    ]);
  });
  test('reads of the first day of a window only the hours within', () => {
    const { history, everyone, clientId, add } = open();
    for (const hour of [1, 2, 30]) add(hour * hourMs, { rxBytes: 10 ** (hour % 10), sessions: 1 });
    const sinceMs = startMs + 2 * hourMs;
    expect(
      history.listDays(clientId, sinceMs).map((day) => [day.day - startMs / dayMs, day.rxBytes]),
    ).toEqual([
      [0, 100],
      [1, 1],
    ]);
    expect(sumUsage(history.usageIn(everyone, sinceMs).get(clientId) ?? [])).toMatchObject({
      rxBytes: 101,
      sessions: 2,
    });
  });
  test('notes searches for the clients that they named, once each', () => {
    const { repository, history, clientId } = open();
    repository.noteSearches([clientId, 'never-was'], startMs);
    repository.noteSearches([clientId], startMs + 5);
    expect(history.listDays(clientId, 0)).toEqual([]);
    repository.keepSearches();
    repository.keepSearches();
    expect(history.listHours(clientId, 0)).toMatchObject([
      { hourMs: startMs, searches: 2, onlineMs: 0 },
    ]);
    expect(history.listDays(clientId, 0)).toMatchObject([{ searches: 2 }]);
  });
  test('notes searches in the hour in which they were', () => {
    const { repository, history, clientId } = open();
    repository.noteSearches([clientId], startMs + hourMs - 1);
    repository.noteSearches([clientId], startMs + hourMs);
    repository.keepSearches();
    expect(
      history.listHours(clientId, 0).map((hour) => [hour.hourMs - startMs, hour.searches]),
    ).toEqual([
      [0, 1],
      [hourMs, 1],
    ]);
  });
  test('weighs the oldest hour of a window by what of it lies within', () => {
    const { history, everyone, clientId, add } = open();
    for (const hour of [1, 2]) add(hour * hourMs + 1, { rxBytes: 1000, sessions: 4 });
    const sinceMs = startMs + 1.25 * hourMs;
    expect(history.listHours(clientId, sinceMs)).toMatchObject([
      { rxBytes: 750, sessions: 3 },
      { rxBytes: 1000, sessions: 4 },
    ]);
    expect(sumUsage(history.usageIn(everyone, sinceMs).get(clientId) ?? [])).toMatchObject({
      rxBytes: 1750,
      sessions: 7,
    });
    expect(history.listDays(clientId, sinceMs)).toMatchObject([{ rxBytes: 1750, sessions: 7 }]);
  });
  test('knows what one consumer had, day by day', () => {
    const { history, everyone, clientId, add } = open();
    add(1000, { rxBytes: 4000, txBytes: 1000, consumerBytes: 4500, sessions: 1 });
    add(2000, { rxBytes: 5000, consumerBytes: 0 });
    add(dayMs, { rxBytes: 9000, consumerBytes: 9000 });
    const days = history.listConsumerDays(clientId, 0);
    expect(days.map(({ share }) => share)).toEqual([0.45, 1]);
    expect(new Set(days.map(({ consumerId }) => consumerId)).size).toBe(1);
    expect(history.consumersIn(everyone, 0).get(clientId)).toBe(1);
    expect(history.consumersIn(everyone, startMs + dayMs + hourMs).get(clientId)).toBeUndefined();
  });
  test('leaves out who was there on the first day of a window, but before its first hour', () => {
    const { history, everyone, clientId, add } = open();
    const give = (afterMs: number, consumerId: string, bytes: number) =>
      add(afterMs, { consumerId, rxBytes: bytes, consumerBytes: bytes, sessions: 1 });
    give(hourMs, 'early', 6000);
    give(5 * hourMs, 'one', 1000);
    give(6 * hourMs, 'other', 3000);
    give(dayMs, 'early', 500);
    const sinceMs = startMs + 4 * hourMs;
    const since = history.listConsumerDays(clientId, sinceMs);
    expect(since.map(({ consumerId, share }) => [consumerId, share])).toEqual([
      ['one', 0.25],
      ['other', 0.75],
      ['early', 1],
    ]);
    expect(history.consumersIn(everyone, sinceMs).get(clientId)).toBe(3);
    // A part of the oldest hour counts, and with it who was there in it.
    const within = startMs + 5.5 * hourMs;
    expect(history.listConsumerDays(clientId, within)).toHaveLength(3);
    expect(history.consumersIn(everyone, within).get(clientId)).toBe(3);
    const after = startMs + 6 * hourMs;
    expect(history.listConsumerDays(clientId, after)).toMatchObject([
      { consumerId: 'other', share: 1 },
      { consumerId: 'early', share: 1 },
    ]);
    expect(history.consumersIn(everyone, after).get(clientId)).toBe(2);
  });
  test('rates a client by its speed and by its time online', () => {
    const { add, row } = open();
    const rate = () => row('select bytes_per_second as speed, quality from client');
    add(60_000, { onlineMs: 60_000 });
    expect(rate()).toEqual({ speed: 0, quality: 0 });
    add(hourMs, { onlineMs: hourMs - 60_000 });
    expect(rate()).toEqual({ speed: 0, quality: 0.25 });
    add(hourMs + 5000, { onlineMs: 5000, bytesPerSecond: 1_250_000 });
    expect(rate()).toEqual({ speed: 1_250_000, quality: 0.63 });
  });
});

describe('connections', () => {
  test('are noted when a client comes and goes, once each', () => {
    const { add, listConnections, row } = open();
    for (const [afterMs, isConnected] of [
      [0, true],
      [1000, true],
      [2000, false],
      [3000, false],
      [4000, true],
    ] as const) {
      add(afterMs, { isConnected });
      expect(row('select is_online as isOnline from client')?.isOnline).toBe(isConnected ? 1 : 0);
    }
    expect(
      listConnections(startMs).map((own) => [own.connectedMs - startMs, own.disconnectedMs]),
    ).toEqual([
      [0, startMs + 2000],
      [4000, null],
    ]);
    expect(listConnections(startMs + 2001)).toHaveLength(1);
  });
  test('of a service that did not run are ended, but those of simulated clients stay', () => {
    const { database, repository, register, add, listConnections } = open();
    const simulated = register();
    add(0, {});
    add(0, { clientId: simulated });
    database.prepare('update client set is_simulated = 1 where client_id = ?').run(simulated);
    repository.disconnectAll(startMs + 500);
    expect(listConnections(0)[0]?.disconnectedMs).toBe(startMs + 500);
    const left = [
      'select client_id from client where is_online = 1',
      'select client_id from connection where disconnected_ms is null',
    ];
    for (const sql of left) expect(database.prepare(sql).all()).toEqual([{ client_id: simulated }]);
  });
});
