import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { dayMs, GIB, hourMs } from '../../../src/lib/units.ts';
import { createClients } from '../../../src/reference-service/clients.ts';
import { createNetworks } from '../../../src/reference-service/networks.ts';
import { findCity } from '../../../src/reference-service/place-search.ts';
import { createProxies } from '../../../src/reference-service/proxies.ts';
import { createWorld } from '../../../src/reference-service/world.ts';
import type { ProfileName } from '../../../src/service/profiles.ts';
import { createCommandWorld, maskChance } from './command-world.ts';
import { addUsage, whileStopped } from './while-stopped.ts';

const MIB = 2 ** 20;

/** Providers of other networks: always connected. */
const providers = [
  { place: 'Berlin', bytesPerSecond: 11_200_000, quality: 0.95 },
  { place: 'Munich', bytesPerSecond: 6_400_000, quality: 0.8 },
  { place: 'Berlin', bytesPerSecond: 2_500_000, quality: 0.6 },
  { place: 'Paris', bytesPerSecond: 900_000, quality: 0.4 },
  { place: 'Tokyo', bytesPerSecond: 125_000_000, quality: 0.3 },
] as const;

/** What networks provided, with names of every kind. */
const earners = [
  { name: 'Riverside', isPublic: true, gib: 4210.5 },
  { name: 'Turd Hill', isPublic: true, gib: 812 },
  { name: 'Not for you', isPublic: false, gib: 1.25 },
] as const;

/**
 * The owner's three devices, two of them connected, and a day and more behind them; other networks
 * with providers in a few places.
 */
export async function createNetworkWorld(profile: ProfileName = 'documented') {
  const world = await createCommandWorld(profile);
  const kitchen = await world.register('kitchen', 'DE');
  const attic = await world.register('attic', 'FR');
  const shed = await world.register('garden shed', 'DE');
  const devices = { kitchen, attic, shed };
  world.clock.nowMs += 2 * dayMs;
  const others: string[] = [];
  const service = await whileStopped(world, (database) => {
    addHistory(database, devices, world.clock.nowMs);
    others.push(...addOthers(database, () => world.clock.nowMs));
  });
  const authenticate = (client_id: string, description: string) =>
    world.post('/network/auth-client', { client_id, description, device_spec: 'pi' });
  await authenticate(kitchen, 'kitchen');
  await authenticate(attic, 'attic');
  world.clock.nowMs += 60_000;
  const known = [kitchen, attic, shed, ...others, ...consumers];
  const port = (await world.get('/network/clients')).clients[0].proxy_client.wg_config
    .wg_proxy_port;
  const portOfChance = new RegExp(`(?<![\\d.])${port}\\b`, 'g');
  const labelOfChance = /\b(Berlin|Munich|Paris|Tokyo) [0-9a-f]{4}\b/g;
  return {
    ...world,
    service,
    devices,
    /**
     * The text with ids, the beginnings of ids in labels, and a UDP port that are always the same.
     */
    maskForGolden: (text: string) =>
      maskChance(
        text.replaceAll(portOfChance, '51820').replaceAll(labelOfChance, '$1 abcd'),
        [],
        known,
      ),
  };
}

const consumers = [randomUUID(), randomUUID()];

/**
 * Two days of the kitchen, a few hours of the attic; the shed did nothing. Consumers came to the
 * kitchen.
 */
function addHistory(
  database: DatabaseSync,
  { kitchen, attic }: { readonly kitchen: string; readonly attic: string },
  nowMs: number,
): void {
  for (let hoursAgo = 46; hoursAgo > 0; hoursAgo -= 1) {
    const atMs = nowMs - hoursAgo * hourMs;
    const rxBytes = (200 + (hoursAgo % 7) * 100) * MIB;
    const onlineMs = hoursAgo === 12 ? hourMs / 4 : hourMs;
    const usage = {
      atMs,
      rxBytes,
      txBytes: rxBytes / 8,
      onlineMs,
      sessions: hoursAgo % 3,
      searches: hoursAgo % 5,
    };
    if (hoursAgo !== 11) addUsage(database, { clientId: kitchen, ...usage });
    if (hoursAgo < 6)
      addUsage(database, { clientId: attic, atMs, rxBytes: 20 * MIB, onlineMs: hourMs / 2 });
  }
  // Whom those sessions were for is said here, not left to the one consumer that the service knows.
  database.exec('delete from consumer_day');
  const connect = database.prepare('insert into connection values (?, ?, ?, ?)');
  connect.run(randomUUID(), kitchen, nowMs - 46 * hourMs, nowMs - 12 * hourMs);
  connect.run(randomUUID(), kitchen, nowMs - 10 * hourMs, nowMs - hourMs / 2);
  connect.run(randomUUID(), attic, nowMs - 6 * hourMs, nowMs - 3 * hourMs);
  const consume = database.prepare(
    `insert into consumer_day (client, day, consumer_id, bytes, sessions, last_ms)
     select sequence, ?, ?, ?, ?, ? from client where client_id = ?`,
  );
  const day = Math.floor(nowMs / dayMs);
  consume.run(day - 1, consumers[0] ?? '', 9 * GIB, 12, nowMs - dayMs, kitchen);
  consume.run(day, consumers[0] ?? '', 2 * GIB, 4, nowMs, kitchen);
  consume.run(day, consumers[1] ?? '', 0.75 * GIB, 3, nowMs, kitchen);
}

/** The ids of the other networks' providers. */
function addOthers(database: DatabaseSync, now: () => number): readonly string[] {
  const networks = createNetworks(database, now);
  const clients = createClients(database, createProxies(database), now);
  const world = createWorld();
  const networkIds = earners.map(
    ({ name, isPublic }) => networks.create(name, { isPublic }).networkId,
  );
  const provide = database.prepare('update network set provided_bytes = ? where network_id = ?');
  for (const [index, { gib }] of earners.entries())
    provide.run(Math.round(gib * GIB), networkIds[index] ?? '');
  const connect = database.prepare(
    'update client set is_online = 1, is_simulated = 1, quality = ?, bytes_per_second = ? where client_id = ?',
  );
  return providers.map(({ place, bytesPerSecond, quality }) => {
    const { clientId } = clients.create({
      networkId: networkIds[0] ?? '',
      description: 'somebody',
      deviceSpec: '',
      sourceClientId: undefined,
      provideMode: 'public',
      proxy: undefined,
      place: findCity(world, place),
    });
    connect.run(quality, bytesPerSecond, clientId);
    return clientId;
  });
}
