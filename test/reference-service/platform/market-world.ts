import { onTestFinished } from 'vitest';
import { createClients } from '../../../src/reference-service/clients.ts';
import { openDatabase } from '../../../src/reference-service/database.ts';
import { createNetworks } from '../../../src/reference-service/networks.ts';
import { createBlocks } from '../../../src/reference-service/platform/blocks.ts';
import { createMarket } from '../../../src/reference-service/platform/market.ts';
import { createOpenSockets } from '../../../src/reference-service/platform/open-sockets.ts';
import { createProvideKeys } from '../../../src/reference-service/platform/provide-keys.ts';
import { createProviderDirectory } from '../../../src/reference-service/provider-directory.ts';
import { createProxies } from '../../../src/reference-service/proxies.ts';
import { createUsageRepository, noTraffic } from '../../../src/reference-service/usage.ts';
import { createWorld } from '../../../src/reference-service/world.ts';
import { makeDirectory } from '../../make-directory.ts';

const minuteMs = 60_000;
/** A whole minute. */
const firstMinute = 30_000_000;

const { home } = createWorld();

/** A connected client that provides, in a service whose clock is moved by minutes. */
export function openMarket() {
  let minute = firstMinute;
  const now = () => minute * minuteMs;
  const database = openDatabase(makeDirectory());
  onTestFinished(() => database.close());
  // Thousands of minutes are written, and none has to last.
  database.exec('pragma synchronous = off');
  const { networkId } = createNetworks(database, now).ensureFirst();
  const add = (description: string): string => {
    const text = { description, deviceSpec: '', provideMode: 'public' } as const;
    const { clientId } = createClients(database, createProxies(database), now).create({
      networkId,
      ...text,
    });
    usage.add([{ ...noTraffic, clientId, isConnected: true, atMs: now() }]);
    return clientId;
  };
  const usage = createUsageRepository(database);
  const blocks = createBlocks(database, now);
  const market = createMarket(database, blocks);
  const sockets = createOpenSockets(database);
  const directoryOf = createProviderDirectory(database);
  const clientId = add('by socket');
  createProvideKeys(database).publish(clientId, [{ mode: 3, secret: Buffer.alloc(32) }]);
  const isFound = (id = clientId) =>
    directoryOf.find({ count: 10 }).some((found) => found.clientId === id);

  return {
    isFound,
    add,
    market,
    countFound: () => directoryOf.countProviders()(home),
    listOwn: () => directoryOf.listOwn(networkId, 10).map((found) => found.clientId),
    connect(): number {
      const number = sockets.add(clientId, now());
      market.enter(clientId);
      return number;
    },
    disconnect: (number: number) => sockets.remove(number),
    /** One minute passes, which counts or does not. */
    pass(isValid: boolean) {
      blocks.sync([{ clientId, isNew: false, messages: Number(isValid), atMs: now() }]);
      minute++;
      market.review();
    },
    /** Minutes pass in which the service does not run. */
    skip(minutes: number) {
      minute += minutes;
    },
    clientId,
    minute: () => minute,
  };
}
