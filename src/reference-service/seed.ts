import type { DatabaseSync } from 'node:sqlite';
import { ensureOwnDirectory } from '../system/files.ts';
import { createAssociationCode } from './codes.ts';
import { inTransaction, lockDirectory, openDatabase } from './database.ts';
import { createNetworks, createWallets } from './networks.ts';
import { createKeyPair } from './proxies.ts';
import { createRandom, type Random } from './repeatable.ts';
import { createSimulatedClient, type DayOfLife } from './simulated-client.ts';
import { queryOn, sumOnConflict } from './statements.ts';
import { sumUsage } from './usage.ts';
import { createWorld } from './world.ts';

export interface SeedOptions {
  readonly directory: string;
  /** Called now and then with the number of clients so far. */
  readonly onProgress: (clients: number) => void;
  readonly clients: number;
  /** How many days of history the clients have, the present day included. */
  readonly days: number;
  /** How many networks they belong to, the first one included. */
  readonly networks: number;
  /**
   * Decides the random choices. One seed makes identical clients at identical times in databases
   * with equally many clients.
   */
  readonly seed: number;
  readonly nowMs: number;
}

/** Enough for good speed, and little to lose if the seeding is interrupted. */
const clientsPerTransaction = 1000;
const clientsPerReport = 50;

/**
 * Fills a database with simulated clients, which a service never changes.
 * @throws already-running, state-unreadable, state-unwritable
 */
export async function seedWorld(options: SeedOptions): Promise<void> {
  const { clients, onProgress } = options;
  await ensureOwnDirectory(options.directory);
  await using _lock = await lockDirectory(options.directory);
  using database = openDatabase(options.directory);
  const addClient = createPopulation(database, options);
  for (let from = 0; from < clients; from += clientsPerTransaction) {
    const count = Math.min(clientsPerTransaction, clients - from);
    inTransaction(database, () => {
      const added = Array.from({ length: count }, (_, index) => {
        if (index % clientsPerReport === 0) onProgress(from + index);
        return addClient(from + index);
      });
      addTotals(database, Math.min(...added), Math.max(...added));
    });
  }
  onProgress(clients);
}

function addTotals(database: DatabaseSync, first: number, last: number): void {
  const { run } = queryOn(database);
  run`insert into network_hour
      select network_id, hour_ms, count(*), sum(online_ms) from client join usage_hour using (client_id)
      where sequence between ${first} and ${last} and online_ms > 0 group by network_id, hour_ms
    ${sumOnConflict('onlineClients onlineMs')}`;
  run`update network set provided_bytes = provided_bytes + bytes from (
      select network_id as provider, sum(rx_bytes + tx_bytes) as bytes
      from client join usage_day on usage_day.client = client.sequence
      where sequence between ${first} and ${last} group by network_id)
    where network_id = provider`;
}

const networkNames = [
  'birch',
  'clover',
  'delta',
  'harbour',
  'heron',
  'meadow',
  'quarry',
  'ridge',
  'willow',
] as const;
const shareOfPublicNames = 0.4;
const shareOfWallets = 0.5;
/** The share of networks that begin with a device shared by the network before them. */
const shareOfGuests = 0.3;
const shareOfPendingShares = 0.005;
const shareOfTunnels = 0.5;
const shareOfVisitedDays = 0.2;

/**
 * Adds simulated clients to this database one by one, with networks, wallets and shares. Each call
 * gets the client's number.
 */
function createPopulation(database: DatabaseSync, options: SeedOptions): (index: number) => number {
  const { nowMs, days } = options;
  const { insert, readNumber } = queryOn(database);
  // A second call with one seed adds other clients, because their number is part of the seed.
  const present = readNumber`select coalesce(max(sequence), 0) from client`;
  const random = createRandom(`${options.seed}/${present}`);
  const networks = createNetworks(database, () => nowMs);
  const wallets = createWallets(database, () => nowMs);
  const listConsumers = prepareConsumers(random);
  const { cities } = createWorld();
  let network = { index: 0, networkId: networks.ensureFirst().networkId };
  let last = { networkId: network.networkId, clientId: '', deviceName: '' };

  function createNetwork(number: number): string {
    const name = `${random.pick(networkNames)}-${number}`;
    const { networkId } = networks.create(name, { isPublic: random.chance(shareOfPublicNames) });
    if (!random.chance(shareOfWallets)) return networkId;
    const walletAddress = `0x${random.bytes(20).toString('hex')}`;
    const wallet = {
      networkId,
      walletAddress,
      walletType: 'external',
      blockchain: 'MATIC',
      active: 1,
    } as const;
    wallets.choosePayoutWallet(networkId, wallets.add(wallet).walletId);
    return networkId;
  }

  function insertDay(clientId: string, client: number, dayOfLife: DayOfLife): void {
    const { day, hasHours, parts } = dayOfLife;
    insert('usage_day', { client, day, ...sumUsage(parts) });
    if (hasHours) for (const part of parts) insert('usage_hour', { clientId, ...part });
    for (const consumer of listConsumers(dayOfLife))
      insert('consumer_day', { client, day, ...consumer });
  }

  /** The connections that follow from the days; one connection may last for many days. */
  function insertConnections(clientId: string, life: readonly DayOfLife[]): void {
    const ends = life
      .filter(({ endMs }, index) => endMs !== life[index + 1]?.startMs)
      .map(({ endMs }) => endMs);
    const starts = life.filter(({ startMs }, index) => startMs !== life[index - 1]?.endMs);
    for (const [index, { startMs: connectedMs }] of starts.entries()) {
      const endMs = ends[index] ?? nowMs;
      const disconnectedMs = endMs === nowMs ? null : endMs;
      insert('connection', { connectionId: random.uuid(), clientId, connectedMs, disconnectedMs });
    }
  }

  /** Without a guest, the share waits to be added. */
  function insertShare(device: typeof last, guest?: typeof last): void {
    const added = guest && {
      guestNetworkId: guest.networkId,
      guestClientId: guest.clientId,
      addedMs: nowMs,
    };
    insert('share', { code: createAssociationCode(), ...device, createdMs: nowMs, ...added });
  }

  /** A device that another network shares has no belongings. */
  function insertBelongings(owner: typeof last | undefined): void {
    if (owner !== undefined) insertShare(owner, last);
    else if (random.chance(shareOfPendingShares)) insertShare(last);
    if (owner !== undefined || !random.chance(shareOfTunnels)) return;
    const { clientId } = last;
    const { privateKey, publicKey } = createKeyPair(random.bytes(32));
    insert('proxy', { clientId, instanceId: random.uuid() });
    insert('tunnel', { clientId, privateKey: privateKey.reveal(), publicKey });
  }

  return (clientIndex) => {
    const index = Math.floor((clientIndex * options.networks) / options.clients);
    if (index !== network.index) network = { index, networkId: createNetwork(present + index) };
    const { networkId } = network;
    const owner = last.networkId !== networkId && random.chance(shareOfGuests) ? last : undefined;
    const { row, life } = createSimulatedClient(random, {
      nowMs,
      days: owner === undefined ? days : 0,
      cities,
    });
    const { clientId } = row;
    const description = owner?.deviceName ?? row.description;
    const sequence = insert('client', {
      ...row,
      networkId,
      description,
      sourceClientId: owner?.clientId ?? null,
    });
    for (const day of life) insertDay(clientId, sequence, day);
    insertConnections(clientId, life);
    last = { networkId, clientId, deviceName: description };
    insertBelongings(owner);
    return sequence;
  };
}

/**
 * The consumers of a day. Mostly one has all of it, to its end; sometimes a visitor has a share.
 */
function prepareConsumers(random: Random) {
  const createIds = () => Array.from({ length: 150 }, () => random.uuid());
  const [regulars, visitors] = [createIds(), createIds()];
  return ({ parts, startMs, endMs }: DayOfLife) => {
    const { rxBytes, txBytes, sessions } = sumUsage(parts);
    const bytes = rxBytes + txBytes;
    if (sessions === 0) return [];
    const regular = { consumerId: random.pick(regulars), bytes, sessions, lastMs: endMs - 1 };
    if (sessions === 1 || !random.chance(shareOfVisitedDays)) return [regular];
    const half = Math.floor(bytes / 2);
    const lastMs = random.integer(startMs, endMs - 1);
    return [
      { ...regular, bytes: bytes - half, sessions: sessions - 1 },
      { consumerId: random.pick(visitors), bytes: half, sessions: 1, lastMs },
    ];
  };
}
