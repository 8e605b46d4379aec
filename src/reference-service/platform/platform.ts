import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { DatabaseSync } from 'node:sqlite';
import type { Duplex } from 'node:stream';
import { createIdSource, fromUuid, type Id, type IdSource, toUuid } from '../../connect/wire/id.ts';
import { messageOf } from '../../lib/errors.ts';
import { once } from '../../lib/once.ts';
import { keepSetting, setSetting } from '../database.ts';
import { noTraffic, type UsageBook } from '../usage.ts';
import type { AdminRequests, DrainRequest, HastenRequest } from './admin-requests.ts';
import { createBlocks } from './blocks.ts';
import { createClientKeys } from './client-keys.ts';
import { createContractBook, type Pair } from './contract-book.ts';
import { type ControlAnswer, createControl } from './control.ts';
import { createDrain } from './drain.ts';
import { toProviderUsage } from './earnings.ts';
import { createForwards, type IdPair } from './forwards.ts';
import { createHastening } from './hasten.ts';
import { type Caller, createContractIssuer } from './issue-contract.ts';
import { createMarket } from './market.ts';
import type { Money } from './money.ts';
import { createOpenSockets } from './open-sockets.ts';
import { createPlatformClock } from './platform-clock.ts';
import { createProvideKeys } from './provide-keys.ts';
import { createResidents } from './residents.ts';
import { createSocketServer } from './socket-server.ts';
import { createStreams } from './streams.ts';
import { createVisits, type Visits } from './visits.ts';

/**
 * The platform's end of the network's own protocol: sockets that carry frames between clients, and
 * control over HTTP, where contracts are made and reported.
 */
export interface Platform {
  /** Answers a request for an upgrade to a WebSocket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
  /** Carries out a request of `/connect/control`. @throws WireError for what is no Pack */
  control(caller: Caller, pack: Buffer): Promise<ControlAnswer>;
  /** The public key that a client has published. */
  findKey(clientId: string): Buffer | undefined;
  /** Whether the client has a socket that counts as a connection. */
  isConnected(clientId: string): boolean;
  /** How many of the platform's ms pass in one of ours. */
  rate(): number;
  /** Ends every socket; may be repeated. */
  close(): Promise<void>;
}

export interface PlatformOptions {
  /** Our own clock, in ms since 1970. */
  readonly now: () => number;
  /** How many of the platform's ms pass in one of ours; 1 to leave it as it is. */
  readonly rate: number;
  readonly usage: UsageBook;
  readonly money: Money;
  readonly drains: AdminRequests<DrainRequest>;
  readonly hastenings: AdminRequests<HastenRequest>;
  readonly identify: (authorization: string | undefined) => Promise<Caller | undefined>;
  readonly networkOf: (clientId: string) => string | undefined;
  /** Whether what consumers download counts in a provider's statistics. */
  readonly countsCompanions: boolean;
  /** A client is about to be connected or disconnected: what was counted until now is written. */
  readonly onBeforeChange: () => void;
  readonly warn: (message: string) => void;
}

/** Pings, acknowledgements and announcements are looked at so often. */
const stepEveryMs = 250;
/** By the platform's clock: how often contracts that are too old are looked for. */
const upkeepEvery = 60_000;
const largestIdSetting = 'platform-largest-id';

export function createPlatform(database: DatabaseSync, options: PlatformOptions): Platform {
  const { now, usage, money, networkOf } = options;
  const clock = createPlatformClock(database, options);
  const ids = openIds(database);
  const keys = createProvideKeys(database);
  const clientKeys = createClientKeys(database);
  const blocks = createBlocks(database, clock.now);
  const sockets = createOpenSockets(database);
  const market = createMarket(database, blocks);
  const stop = new AbortController();
  const isConnected = (clientId: string): boolean => visits.isAnnounced(clientId);
  const book = createContractBook(database, {
    now: clock.now,
    onPaid(contract) {
      money.spend(contract.payerId, contract.paidBytes);
      if (contract.isCompanion === 1 && !options.countsCompanions) return;
      const provided = toProviderUsage(contract, now());
      usage.add([{ ...provided, isConnected: isConnected(provided.clientId) }]);
    },
  });
  const residents = createResidents(clock.now);
  const forwards = createForwards({
    now: clock.now,
    hasClean: (pair) => book.hasClean(toUuids(pair)),
  });
  const issuer = createContractIssuer({
    book,
    keys,
    clientKeys,
    clock,
    ids,
    networkOf,
    canPay: (networkId, bytes) => money.balance(networkId) - book.reservedBytes(networkId) >= bytes,
    onIssued(pair, { beginsStream }) {
      forwards.noteContract(toIds(pair));
      if (beginsStream) streams.begin(toIds(pair));
    },
    signal: stop.signal,
  });
  const control = createControl({
    issuer,
    book,
    keys,
    clientKeys,
    onPublished(clientId) {
      if (isConnected(clientId)) blocks.noteChange(clientId);
    },
  });
  const newId = (): Id => ids.next(clock.now());
  const streams = createStreams({
    newId,
    tell: (clientId, frame) => visits.tell(clientId, frame),
    hasOpen: (pair) => book.hasOpen(toUuids(pair)),
  });
  const visits: Visits = createVisits({
    residents,
    forwards,
    randomBytes,
    rate: clock.rate,
    clocks: () => ({ now: now(), platformNow: clock.now() }),
    newId,
    onControlFrame: (caller, frame) => attempt(() => control.take(caller, frame)),
    resetStreams: streams.reset,
    attempt,
    onOpened({ clientId, openedMs }) {
      const number = sockets.add(clientId, openedMs);
      market.enter(clientId);
      return {
        onMeasured(measured) {
          sockets.note(number, measured);
          const { bytesPerSecond } = measured;
          const sample = { ...noTraffic, clientId, bytesPerSecond, atMs: now() };
          usage.add([{ ...sample, isConnected: isConnected(clientId) }]);
        },
        onClosed: () => attempt(() => sockets.remove(number)),
      };
    },
    onConnection: ({ clientId, isConnected: isNow }) =>
      attempt(() => {
        options.onBeforeChange();
        usage.add([{ ...noTraffic, clientId, isConnected: isNow, atMs: now() }]);
      }),
  });
  const drain = createDrain({
    read: options.drains.last,
    clocks: () => ({ now: now(), platformNow: clock.now() }),
    visits,
  });
  const hasten = createHastening({ read: options.hastenings.last, clock, visits });
  const server = createSocketServer({
    identify: options.identify,
    isDraining: drain.isRefusing,
    clockRate: clock.rate,
    onOpen: visits.open,
  });

  function attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      options.warn(`keeping up the platform: ${messageOf(error)}`);
    }
  }

  market.review();
  let upkeepAt = clock.now() + upkeepEvery;
  const timer = setInterval(
    () =>
      attempt(() => {
        visits.step();
        // What was due while the clock went as it did, before it goes in another way.
        blocks.sync(visits.takeSyncs());
        hasten();
        drain.step();
        if (clock.now() < upkeepAt) return;
        upkeepAt = clock.now() + upkeepEvery;
        book.forceClose();
        residents.sweep();
        forwards.sweep();
        streams.sweep();
        market.review();
        keepIds(database, ids);
        clock.keep();
      }),
    stepEveryMs,
  );

  return {
    upgrade: server.upgrade,
    control: control.answer,
    findKey: (clientId) => clientKeys.find(clientId).publicKey,
    isConnected,
    rate: clock.rate,
    close: once(async () => {
      clearInterval(timer);
      stop.abort();
      await server.close();
      keepIds(database, ids);
      clock.keep();
    }),
  };
}

/** Ids above the largest one of an earlier life, whose clock may have been ahead. */
function openIds(database: DatabaseSync): IdSource {
  const kept = keepSetting(database, largestIdSetting, () => '');
  return createIdSource({ randomBytes, largest: kept === '' ? undefined : fromUuid(kept) });
}

function keepIds(database: DatabaseSync, ids: IdSource): void {
  const largest = ids.largest();
  if (largest !== undefined) setSetting(database, largestIdSetting, toUuid(largest));
}

function toIds({ sourceId, destinationId }: Pair): IdPair {
  return { sourceId: fromUuid(sourceId), destinationId: fromUuid(destinationId) };
}

function toUuids({ sourceId, destinationId }: IdPair): Pair {
  return { sourceId: toUuid(sourceId), destinationId: toUuid(destinationId) };
}
