import type { DatabaseSync } from 'node:sqlite';
import { createAssociationCode } from './codes.ts';
import { createKeyPair } from './key-pair.ts';
import { createNetworks } from './networks.ts';
import { createRandom, type Random } from './random.ts';
import { createSimulatedClient, type DayOfLife } from './simulated-client.ts';
import { insertInto, prepareNumber } from './statements.ts';
import { dayMs, sumUsage, usageFields } from './usage-unit.ts';
import { createWallets } from './wallets.ts';
import { createWorld } from './world.ts';

/** How many there are, and of when. */
export interface PopulationOptions {
  readonly clients: number;
  /** How many days the clients look back on, today with them. */
  readonly days: number;
  /** Over how many networks they are spread, the first one with them. */
  readonly networks: number;
  /** The same one makes the same clients, at the same time, in a database of as many clients. */
  readonly seed: number;
  /** Unix milliseconds. */
  readonly nowMs: number;
}

const networkNames = ['birch', 'clover', 'delta', 'harbour', 'heron', 'meadow', 'quarry', 'ridge', 'willow'] as const;
const shareOfPublicNames = 0.4;
const shareOfWallets = 0.5;
/** So many networks begin with a device that the one before them shares. */
const shareOfGuests = 0.3;
const shareOfPendingShares = 0.005;
const shareOfTunnels = 0.5;
const shareOfVisitedDays = 0.2;

/** Adds the simulated clients to this database one by one, with networks, wallets and shares; each call gives its number. */
export function createPopulation(database: DatabaseSync, options: PopulationOptions): (index: number) => number {
  const { nowMs, days } = options;
  const now = () => nowMs;
  // The same seed adds others to those that are there already.
  const present = prepareNumber<[]>(database, 'select coalesce(max(sequence), 0) from client')();
  const random = createRandom(`${options.seed}/${present}`);
  const createNetwork = prepareNetworks(database, random, now);
  const insertClient = prepareClients(database, random, nowMs);
  const insertShare = prepareShares(database, nowMs);
  const { cities } = createWorld();
  let network = { index: 0, networkId: createNetworks(database, now).ensureFirst().networkId };
  let last = { networkId: network.networkId, clientId: '', deviceName: '' };

  return (clientIndex) => {
    const index = Math.floor((clientIndex * options.networks) / options.clients);
    if (index !== network.index) network = { index, networkId: createNetwork(present + index) };
    const { networkId } = network;
    const owner = last.networkId !== networkId && random.chance(shareOfGuests) ? last : undefined;
    const { row, life } = createSimulatedClient(random, { nowMs, days: owner === undefined ? days : 0, cities });
    const { clientId } = row;
    const description = owner?.deviceName ?? row.description;
    const sequence = insertClient({ ...row, networkId, description, sourceClientId: owner?.clientId ?? null }, life);
    last = { networkId, clientId, deviceName: description };
    if (owner !== undefined) insertShare(owner, last);
    else if (random.chance(shareOfPendingShares)) insertShare(last, undefined);
    return sequence;
  };
}

interface Inhabitant {
  readonly networkId: string;
  readonly clientId: string;
  readonly deviceName: string;
}

/** Writes that a device is shared with a guest; without one the share waits to be added. */
function prepareShares(database: DatabaseSync, nowMs: number) {
  const insert = database.prepare('insert into share values (?, ?, ?, ?, ?, ?, ?, ?)');
  return ({ networkId, clientId, deviceName }: Inhabitant, guest: Inhabitant | undefined): void => {
    const added = guest === undefined ? [null, null, null] : [guest.networkId, guest.clientId, nowMs];
    insert.run(createAssociationCode(), networkId, clientId, deviceName, nowMs, ...added);
  };
}

/** Makes networks, each with a number of its own in its name, some with a wallet; gives their ids. */
function prepareNetworks(database: DatabaseSync, random: Random, now: () => number): (number: number) => string {
  const networks = createNetworks(database, now);
  const wallets = createWallets(database, now);
  return (number) => {
    const name = `${random.pick(networkNames)}-${number}`;
    const { networkId } = networks.create(name, { isPublic: random.chance(shareOfPublicNames) });
    if (!random.chance(shareOfWallets)) return networkId;
    const walletAddress = `0x${random.bytes(20).toString('hex')}`;
    const wallet = { networkId, walletAddress, walletType: 'external', blockchain: 'MATIC', active: 1 } as const;
    wallets.choosePayoutWallet(networkId, wallets.add(wallet).walletId);
    return networkId;
  };
}

type ClientRow = ReturnType<typeof createSimulatedClient>['row'] & {
  readonly networkId: string;
  readonly sourceClientId: string | null;
};

/** Writes clients, some of their own with a tunnel, with all that they did; gives their numbers. */
function prepareClients(database: DatabaseSync, random: Random, nowMs: number) {
  const insertRow = database.prepare(
    insertInto(
      'client',
      `clientId networkId deviceId sourceClientId description deviceSpec createdMs authenticatedMs provideMode cityId
       regionId countryId isOnline isSimulated bytesPerSecond quality`,
    ),
  );
  const insertProxy = database.prepare('insert into proxy values (?, ?, null)');
  const insertTunnel = database.prepare('insert into tunnel (client_id, private_key, public_key) values (?, ?, ?)');
  const insertDay = prepareDays(database, random, nowMs);
  return (row: ClientRow, life: readonly DayOfLife[]): number => {
    const sequence = Number(insertRow.run(row).lastInsertRowid);
    if (row.sourceClientId === null && random.chance(shareOfTunnels)) {
      const { privateKey, publicKey } = createKeyPair(random.bytes(32));
      insertProxy.run(row.clientId, random.uuid());
      insertTunnel.run(row.clientId, privateKey.reveal(), publicKey);
    }
    for (const day of life) insertDay(row.clientId, sequence, day);
    return sequence;
  };
}

/** Writes what a client did on a day; its connections are those of the last 24 hours. */
function prepareDays(database: DatabaseSync, random: Random, nowMs: number) {
  const insertHour = database.prepare(insertInto('usage_hour', `clientId hourMs ${usageFields}`));
  const insertDay = database.prepare(insertInto('usage_day', `client day ${usageFields}`));
  const insertConsumer = database.prepare('insert into consumer_day values (?, ?, ?, ?, ?, ?)');
  const insertConnection = database.prepare('insert into connection values (?, ?, ?, ?)');
  const listConsumers = prepareConsumers(random);
  return (clientId: string, client: number, dayOfLife: DayOfLife): void => {
    const { day, hasHours, parts, startMs, endMs } = dayOfLife;
    insertDay.run({ client, day, ...sumUsage(parts) });
    if (hasHours) for (const part of parts) insertHour.run({ clientId, ...part });
    for (const consumer of listConsumers(dayOfLife)) insertConsumer.run(client, day, ...consumer);
    const disconnectedMs = endMs === nowMs ? null : endMs;
    if (endMs > nowMs - dayMs) insertConnection.run(random.uuid(), clientId, startMs, disconnectedMs);
  };
}

/** The consumers of a day, as rows of id, bytes, sessions and time: mostly one has it all, to its end; a visitor shares it. */
function prepareConsumers(random: Random) {
  const createIds = () => Array.from({ length: 150 }, () => random.uuid());
  const [regulars, visitors] = [createIds(), createIds()];
  return ({ parts, startMs, endMs }: DayOfLife): readonly (readonly [string, number, number, number])[] => {
    const { rxBytes, txBytes, sessions } = sumUsage(parts);
    const bytes = rxBytes + txBytes;
    if (sessions === 0) return [];
    const regular = random.pick(regulars);
    if (sessions === 1 || !random.chance(shareOfVisitedDays)) return [[regular, bytes, sessions, endMs - 1]];
    const half = Math.floor(bytes / 2);
    return [
      [regular, bytes - half, sessions - 1, endMs - 1],
      [random.pick(visitors), half, 1, random.integer(startMs, endMs - 1)],
    ];
  };
}
