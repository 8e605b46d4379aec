import { describe, expect, test } from 'vitest';
import { createClients } from '../../../src/reference-service/clients.ts';
import { openDatabase } from '../../../src/reference-service/database.ts';
import { createNetworks } from '../../../src/reference-service/networks.ts';
import { createProxies } from '../../../src/reference-service/proxies.ts';
import { createUsageBook, hourMs, toHourStart } from '../../../src/reference-service/usage.ts';
import { makeDirectory } from './make-directory.ts';

const startMs = toHourStart(1_800_000_000_000);

function open() {
  const database = openDatabase(makeDirectory());
  const { networkId } = createNetworks(database, () => startMs).ensureFirst();
  const clients = createClients(database, createProxies(database), () => startMs);
  const { clientId } = clients.create({
    networkId,
    description: '',
    deviceSpec: '',
    sourceClientId: undefined,
    provideMode: 'public',
    proxy: undefined,
  });
  const book = createUsageBook(database);
  const add = (afterMs: number, isConnected: boolean, rxBytes = 0) => {
    book.add([{ clientId, isConnected, rxBytes, txBytes: 1, onlineMs: 10, sessions: 0 }], startMs + afterMs);
  };
  return { book, clientId, add };
}

describe('the usage book', () => {
  test('adds up within an hour, and begins anew with the next', () => {
    const { book, clientId, add } = open();
    add(0, true, 100);
    add(hourMs - 1, true, 200);
    add(hourMs, true, 400);
    const hours = book.listHours(clientId, startMs);
    expect(hours.map((hour) => [hour.hourMs - startMs, hour.rxBytes, hour.onlineMs])).toEqual([
      [0, 300, 20],
      [hourMs, 400, 10],
    ]);
    expect(book.listHours(clientId, startMs + 1)).toHaveLength(1);
  });
  test('notes who came and went, once each', () => {
    const { book, clientId, add } = open();
    for (const [afterMs, isConnected] of [
      [0, true],
      [1000, true],
      [2000, false],
      [3000, false],
      [4000, true],
    ] as const) {
      add(afterMs, isConnected);
    }
    const connections = book.listConnections(clientId, startMs);
    expect(connections.map((row) => [row.connectedMs - startMs, row.disconnectedMs])).toEqual([
      [0, startMs + 2000],
      [4000, undefined],
    ]);
    expect(book.listConnections(clientId, startMs + 2001)).toHaveLength(1);
  });
  test('ends every connection of a service that did not run', () => {
    const { book, clientId, add } = open();
    add(0, true);
    book.disconnectAll(startMs + 500);
    expect(book.listConnections(clientId, 0)[0]?.disconnectedMs).toBe(startMs + 500);
  });
});
