import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { DatabaseSync } from 'node:sqlite';
import type { Duplex } from 'node:stream';
import { createIdSource, fromUuid, type IdSource, toUuid } from '../../connect/wire/id.ts';
import { messageOf } from '../../lib/errors.ts';
import { once } from '../../lib/once.ts';
import { keepSetting, setSetting } from '../database.ts';
import { noTraffic, type UsageBook } from '../usage.ts';
import { createBalances } from './balances.ts';
import { createContractBook, type Pair } from './contract-book.ts';
import { type ControlAnswer, createControl } from './control.ts';
import { createForwards, type IdPair } from './forwards.ts';
import { type Caller, createContractIssuer } from './issue-contract.ts';
import { createPlatformClock } from './platform-clock.ts';
import { createProvideKeys } from './provide-keys.ts';
import { createResidents } from './residents.ts';
import { createSocketServer } from './socket-server.ts';
import { createVisits } from './visits.ts';

/**
 * The platform's end of the network's own protocol: sockets that carry frames between clients, and
 * control over HTTP, where contracts are made and reported.
 */
export interface Platform {
  /** Answers a request for an upgrade to a WebSocket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
  /** Carries out a request of `/connect/control`. @throws WireError for what is no Pack */
  control(caller: Caller, pack: Buffer): Promise<ControlAnswer>;
  /** Whether the client has a socket that counts as a connection. */
  isConnected(clientId: string): boolean;
  /** How many of the platform's ms pass in one of ours. */
  readonly rate: number;
  /** Ends every socket; may be repeated. */
  close(): Promise<void>;
}

export interface PlatformOptions {
  /** Our own clock, in ms since 1970. */
  readonly now: () => number;
  /** How many of the platform's ms pass in one of ours; 1 to leave it as it is. */
  readonly rate: number;
  readonly usage: UsageBook;
  readonly identify: (authorization: string | undefined) => Promise<Caller | undefined>;
  readonly networkOf: (clientId: string) => string | undefined;
  /** A client is about to be connected or disconnected: what was counted until now is written. */
  readonly onBeforeChange: () => void;
  readonly warn: (message: string) => void;
}

/** Pings, acknowledgements and announcements are looked at so often. */
const stepEveryMs = 250;
/** By the platform's clock: how often contracts that are too old are looked for. */
const forceCloseEvery = 60_000;
const largestIdSetting = 'platform-largest-id';

export function createPlatform(database: DatabaseSync, options: PlatformOptions): Platform {
  const { now, usage, networkOf } = options;
  const clock = createPlatformClock(database, options);
  const ids = openIds(database);
  const keys = createProvideKeys(database);
  const balances = createBalances(database);
  const stop = new AbortController();
  const book = createContractBook(database, {
    now: clock.now,
    onPaid: ({ payerId, paidBytes }) => balances.spend(payerId, paidBytes),
  });
  const residents = createResidents();
  const forwards = createForwards({
    now: clock.now,
    hasClean: ({ sourceId, destinationId }) =>
      book.hasClean({ sourceId: toUuid(sourceId), destinationId: toUuid(destinationId) }),
  });
  const issuer = createContractIssuer({
    book,
    keys,
    clock,
    ids,
    networkOf,
    canPay: (networkId, bytes) => balances.read(networkId) - book.reservedBytes(networkId) >= bytes,
    onIssued: (pair) => forwards.noteContract(toIds(pair)),
    signal: stop.signal,
  });
  const control = createControl({ issuer, book, keys, onPublished: () => undefined });
  const visits = createVisits({
    residents,
    forwards,
    now,
    platformNow: clock.now,
    newId: () => ids.next(clock.now()),
    onControlFrame: (caller, frame) => control.take(caller, frame),
    onConnection({ clientId, isConnected }) {
      options.onBeforeChange();
      usage.add([{ ...noTraffic, clientId, isConnected, atMs: now() }]);
    },
  });
  const sockets = createSocketServer({
    identify: options.identify,
    isDraining: () => false,
    onOpen: visits.open,
  });

  let forceCloseAt = clock.now() + forceCloseEvery;
  const step = (): void => {
    visits.step();
    if (clock.now() < forceCloseAt) return;
    forceCloseAt = clock.now() + forceCloseEvery;
    book.forceClose();
    keepIds(database, ids);
    clock.keep();
  };
  const timer = setInterval(() => {
    try {
      step();
    } catch (error) {
      options.warn(`keeping up the platform: ${messageOf(error)}`);
    }
  }, stepEveryMs);

  return {
    upgrade: sockets.upgrade,
    control: control.answer,
    isConnected: visits.isAnnounced,
    rate: clock.rate,
    close: once(async () => {
      clearInterval(timer);
      stop.abort();
      await sockets.close();
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
