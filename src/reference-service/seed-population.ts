import type { DatabaseSync } from 'node:sqlite';
import { createAssociationCode } from './codes.ts';
import { createKeyPair } from './key-pair.ts';
import { createNetworks } from './networks.ts';
import { createRandom, type Random } from './random.ts';
import { createSimulatedClient, type DayOfLife } from './simulated-client.ts';
import { prepareOn } from './statements.ts';
import { dayMs, sumUsage } from './usage-unit.ts';
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
  const { insert, prepareNumber } = prepareOn(database);
  // The same seed adds others to those that are there already.
  const present = prepareNumber<[]>('select coalesce(max(sequence), 0) from client')();
  const random = createRandom(`${options.seed}/${present}`);
  const createNetwork = prepareNetworks(database, random, () => nowMs);
  const listConsumers = prepareConsumers(random);
  const { cities } = createWorld();
  let network = { index: 0, networkId: createNetworks(database, () => nowMs).ensureFirst().networkId };
  let last = { networkId: network.networkId, clientId: '', deviceName: '' };

  function insertDay(clientId: string, client: number, dayOfLife: DayOfLife): void {
    const { day, hasHours, parts, startMs, endMs } = dayOfLife;
    insert('usage_day', { client, day, ...sumUsage(parts) });
    if (hasHours) for (const part of parts) insert('usage_hour', { clientId, ...part });
    for (const consumer of listConsumers(dayOfLife)) insert('consumer_day', { client, day, ...consumer });
    if (endMs <= nowMs - dayMs) return;
    const disconnectedMs = endMs === nowMs ? null : endMs;
    insert('connection', { connectionId: random.uuid(), clientId, connectedMs: startMs, disconnectedMs });
  }

  function insertTunnel(clientId: string): void {
    const { privateKey, publicKey } = createKeyPair(random.bytes(32));
    insert('proxy', { clientId, instanceId: random.uuid() });
    insert('tunnel', { clientId, privateKey: privateKey.reveal(), publicKey });
  }

  /** Without a guest the share waits to be added. */
  function insertShare(device: typeof last, guest?: typeof last): void {
    const { networkId: guestNetworkId = null, clientId: guestClientId = null } = guest ?? {};
    const added = { guestNetworkId, guestClientId, addedMs: guest === undefined ? null : nowMs };
    insert('share', { code: createAssociationCode(), ...device, createdMs: nowMs, ...added });
  }

  /** A device that another network shares has nothing of its own. */
  function insertBelongings(owner: typeof last | undefined): void {
    if (owner !== undefined) insertShare(owner, last);
    else if (random.chance(shareOfPendingShares)) insertShare(last);
    if (owner === undefined && random.chance(shareOfTunnels)) insertTunnel(last.clientId);
  }

  return (clientIndex) => {
    const index = Math.floor((clientIndex * options.networks) / options.clients);
    if (index !== network.index) network = { index, networkId: createNetwork(present + index) };
    const { networkId } = network;
    const owner = last.networkId !== networkId && random.chance(shareOfGuests) ? last : undefined;
    const { row, life } = createSimulatedClient(random, { nowMs, days: owner === undefined ? days : 0, cities });
    const { clientId } = row;
    const description = owner?.deviceName ?? row.description;
    const sequence = insert('client', { ...row, networkId, description, sourceClientId: owner?.clientId ?? null });
    for (const day of life) insertDay(clientId, sequence, day);
    last = { networkId, clientId, deviceName: description };
    insertBelongings(owner);
    return sequence;
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

/** The consumers of a day: mostly one has it all, to its end; sometimes a visitor shares it. */
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
