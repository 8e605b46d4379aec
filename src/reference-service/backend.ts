import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { Secret } from '../lib/secret.ts';
import type {
  OperationName,
  operations,
  WireRequest,
  WireResponse,
} from '../service/operations.ts';
import { type Associations, createAssociations } from './associations.ts';
import { type Clients, createClients } from './clients.ts';
import { type Codes, createCodes } from './codes.ts';
import { keepSetting } from './database.ts';
import type { Pages } from './json-response.ts';
import { createLogins, type Logins } from './logins.ts';
import {
  createNetworks,
  createWallets,
  type Network,
  type Networks,
  type Wallets,
} from './networks.ts';
import { createPairings, type Pairings } from './pairings.ts';
import { createPayouts, type Payouts } from './payouts.ts';
import {
  type AdminRequests,
  createDrainRequests,
  createHastenRequests,
  type DrainRequest,
  type HastenRequest,
} from './platform/admin-requests.ts';
import { createMoney, type Money } from './platform/money.ts';
import type { Platform } from './platform/platform.ts';
import type { Presence } from './presence.ts';
import type { Terms } from './profile.ts';
import { createProviderDirectory, type ProviderDirectory } from './provider-directory.ts';
import { createProxies, type Proxies } from './proxies.ts';
import type { ProxyEnd } from './proxy-end.ts';
import { createTokens, type Tokens } from './tokens.ts';
import { createUsageRepository, type UsageBook } from './usage.ts';
import { createUsageHistory, type UsageHistory } from './usage-history.ts';
import { createWorld, type World } from './world.ts';

/** What the service keeps. Each part has rules of its own, and they share one database. */
export interface Repositories {
  readonly networks: Networks;
  readonly codes: Codes;
  readonly wallets: Wallets;
  readonly clients: Clients;
  readonly associations: Associations;
  readonly pairings: Pairings;
  readonly logins: Logins;
  readonly proxies: Proxies;
  readonly usage: UsageBook;
  readonly usageHistory: UsageHistory;
  readonly tokens: Tokens;
  /** The one part that is not in the database, because it never changes. */
  readonly world: World;
  readonly directory: ProviderDirectory;
  readonly money: Money;
  readonly payouts: Payouts;
  readonly drains: AdminRequests<DrainRequest>;
  readonly hastenings: AdminRequests<HastenRequest>;
}

/** How many devices one network may have by default. */
export const defaultClientLimit = 100_000;

export function createRepositories(database: DatabaseSync, terms: Terms): Repositories {
  const { now, profile } = terms;
  const proxies = createProxies(database);
  const clients = createClients(database, proxies, now);
  const networks = createNetworks(database, now);
  // This comes before any guest's network, because the first network is the default of commands.
  networks.ensureFirst();
  return {
    networks,
    codes: createCodes(database, profile.codeAlphabet, now),
    wallets: createWallets(database, now),
    clients,
    associations: createAssociations(database, clients, terms),
    pairings: createPairings(database, clients, terms),
    logins: createLogins(database),
    proxies,
    usage: createUsageRepository(database),
    usageHistory: createUsageHistory(database),
    tokens: createTokens(
      new Secret(keepSetting(database, 'token-key', () => randomBytes(32).toString('base64'))),
      now,
      terms.tokenSeconds,
    ),
    world: createWorld(),
    directory: createProviderDirectory(database),
    money: createMoney(database),
    payouts: createPayouts(database, { now, countsCompanions: profile.countsCompanions }),
    drains: createDrainRequests(database),
    hastenings: createHastenRequests(database),
  };
}

/** The other end of issued tunnels and proxies. */
export interface ProxyEndpoint {
  readonly host: string;
  /** Of the tunnels: UDP. */
  readonly port: number;
  readonly publicKey: string;
  /** Of the HTTP and SOCKS proxies: TCP; undefined while nobody was issued one. */
  findProxyPort(): number | undefined;
}

/** What a person gets by e-mail or text message. */
export interface Letter {
  /** An e-mail address or a phone number. */
  readonly to: string;
  readonly purpose: 'verify' | 'reset';
  readonly code: string;
}

export interface Backend extends Repositories, Terms {
  readonly proxyEndpoint: ProxyEndpoint;
  readonly proxyEnd: Pick<ProxyEnd, 'open'>;
  readonly presence: Presence;
  readonly platform: Platform;
  readonly keepaliveSeconds: number;
  readonly warn: (message: string) => void;
  readonly deliver: (letter: Letter) => void;
  /** Brings tunnels and proxies in line with the database; resolves when that is done. */
  readonly reconcile: () => Promise<void>;
  /** Brings the usage book up to the present. */
  readonly sample: () => Promise<void>;
}

/** One request, with everything that was checked before its handler is called. */
export interface Call<Name extends OperationName> {
  readonly request: WireRequest<Name>;
  /** The client whose own token was sent; undefined for a network's token. */
  readonly ownClientId: string | undefined;
  /** The network whose token was sent; it may be undefined where the operation takes no token. */
  readonly network: (typeof operations)[Name]['authentication'] extends 'none'
    ? Network | undefined
    : Network;
}

/** Answers one operation. An error with usage-invalid is answered as an `error` object. */
type Handler<Name extends OperationName, Answer = InPages<WireResponse<Name>>> = (
  backend: Backend,
  call: Call<Name>,
) => Answer | Promise<Answer>;

/** The answer on the wire, except that a list at its top level may be in pages. */
type InPages<Answer> = {
  [Field in keyof Answer]:
    | Answer[Field]
    | (NonNullable<Answer[Field]> extends readonly (infer Item)[] ? Pages<Item> : never);
};

/**
 * A handler for each operation. A row that is added to the operations table does not compile
 * without one.
 */
export type Handlers = { readonly [Name in OperationName]: Handler<Name> };
