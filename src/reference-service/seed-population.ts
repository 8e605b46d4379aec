import type { DatabaseSync } from 'node:sqlite';
import { createNetworks } from './networks.ts';
import { createRandom, type Random } from './random.ts';
import { createSeedClients } from './seed-clients.ts';
import { createDevice } from './seed-device.ts';
import { createLife, noLife } from './seed-life.ts';
import { createShares } from './shares.ts';
import { dayMs, hourMs } from './usage-unit.ts';
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

/** A client that was added. */
export interface Inhabitant {
  readonly networkId: string;
  readonly clientId: string;
  /** Its number in the database. */
  readonly sequence: number;
  readonly deviceName: string;
}

const simulatedConsumers = 300;
const networkNames = ['birch', 'clover', 'delta', 'harbour', 'heron', 'meadow', 'quarry', 'ridge', 'willow'];
const shareOfPublicNames = 0.4;
const shareOfWallets = 0.5;
/** So many networks begin with a device that the one before them shares. */
const shareOfGuests = 0.3;
const shareOfPendingShares = 0.005;

/** Adds the simulated clients to this database one by one, with networks, wallets and shares as they come. */
export function createPopulation(database: DatabaseSync, options: PopulationOptions): (index: number) => Inhabitant {
  const now = () => options.nowMs;
  const shares = createShares(database, now);
  const writer = createSeedClients(database);
  const { cities } = createWorld();
  // The same seed adds others to those that are there already.
  const present = Number(database.prepare('select coalesce(max(sequence), 0) as last from client').get()?.last);
  const random = createRandom(`${options.seed}/${present}`);
  const consumerIds = Array.from({ length: simulatedConsumers }, () => random.uuid());
  const findNetwork = createNetworkSource(database, { random, now, present });
  let last: Inhabitant | undefined;

  /** The client that a new one stands for, being shared with its network; mostly it is a device of its own. */
  function chooseOwner(networkId: string): Inhabitant | undefined {
    const isFirst = last !== undefined && last.networkId !== networkId;
    return isFirst && random.chance(shareOfGuests) ? last : undefined;
  }

  return (index) => {
    const networkId = findNetwork(Math.floor((index * options.networks) / options.clients));
    const owner = chooseOwner(networkId);
    const own = createDevice(random);
    const device = owner === undefined ? own : { ...own, description: owner.deviceName, hasTunnel: false };
    const createdMs = toCreatedMs(random, options);
    const plan = { habit: device.habit, createdMs, nowMs: options.nowMs, days: options.days, consumerIds };
    const client = {
      networkId,
      sourceClientId: owner?.clientId,
      device,
      place: random.pick(cities),
      life: owner === undefined ? createLife(random, plan) : noLife,
      createdMs,
      nowMs: options.nowMs,
    };
    last = { ...writer.insert(random, client), networkId, deviceName: device.description };
    if (owner !== undefined) shares.accept(shares.create(owner), last);
    else if (random.chance(shareOfPendingShares)) shares.create(last);
    return last;
  };
}

interface NetworkSource {
  readonly random: Random;
  readonly now: () => number;
  /** Clients that were there before, so that no name is given twice. */
  readonly present: number;
}

/** The id of the network with this index; the first is the one that is there, the others are made when they are asked for. */
function createNetworkSource(database: DatabaseSync, { random, now, present }: NetworkSource) {
  const networks = createNetworks(database, now);
  const wallets = createWallets(database, now);
  const networkIds = [networks.ensureFirst().networkId];
  const create = (index: number): string => {
    const name = `${random.pick(networkNames)}-${present + index}`;
    const { networkId } = networks.create(name, { isPublic: random.chance(shareOfPublicNames) });
    if (!random.chance(shareOfWallets)) return networkId;
    const walletAddress = `0x${random.bytes(20).toString('hex')}`;
    const wallet = { networkId, walletAddress, walletType: 'external', blockchain: 'MATIC', active: 1 } as const;
    wallets.choosePayoutWallet(networkId, wallets.add(wallet).walletId);
    return networkId;
  };
  return (index: number): string => {
    const networkId = networkIds[index] ?? create(index);
    networkIds[index] = networkId;
    return networkId;
  };
}

/** Most are older than what is told of them, the others came since. */
function toCreatedMs(random: Random, { nowMs, days }: PopulationOptions): number {
  return random.chance(0.7)
    ? nowMs - (days + random.integer(0, 30)) * dayMs
    : nowMs - random.integer(hourMs, Math.max(hourMs, days * dayMs));
}
