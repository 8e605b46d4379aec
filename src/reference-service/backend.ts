import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { Secret } from '../lib/secret.ts';
import type {
  OperationName,
  operations,
  WireRequest,
  WireResponse,
} from '../service/operations.ts';
import { createAssociations } from './associations.ts';
import { createClients } from './clients.ts';
import { createCodes } from './codes.ts';
import { keepSetting } from './database.ts';
import type { Pages } from './json-response.ts';
import { createNetworks, createWallets, type Network } from './networks.ts';
import type { Presence } from './presence.ts';
import type { Terms } from './profile.ts';
import { createProviderDirectory } from './provider-directory.ts';
import { createProxies } from './proxies.ts';
import { createTokens } from './tokens.ts';
import { createUsageRepository } from './usage.ts';
import { createUsageHistory } from './usage-history.ts';
import { createWorld } from './world.ts';

/** What the service keeps, each part by its own rules; all of it is one database. */
export type Repositories = ReturnType<typeof createRepositories>;

/** Devices that one network may have where nothing else is said. */
export const defaultClientLimit = 100_000;

export function createRepositories(database: DatabaseSync, terms: Terms) {
  const { now, profile } = terms;
  const proxies = createProxies(database);
  const clients = createClients(database, proxies, now);
  const networks = createNetworks(database, now);
  // Before any guest's: the first network is the one that is meant where none is named.
  networks.ensureFirst();
  return {
    networks,
    codes: createCodes(database, profile.codeAlphabet, now),
    wallets: createWallets(database, now),
    clients,
    associations: createAssociations(database, clients, terms),
    proxies,
    usage: createUsageRepository(database),
    usageHistory: createUsageHistory(database),
    tokens: createTokens(
      new Secret(keepSetting(database, 'token-key', () => randomBytes(32).toString('base64'))),
      now,
    ),
    world: createWorld(),
    directory: createProviderDirectory(database),
  } as const;
}

/** The end that issued tunnels lead to; its port is a UDP port. */
export type ProxyEndpoint = Readonly<Record<'host' | 'publicKey', string> & { port: number }>;

export interface Backend extends Repositories, Terms {
  readonly proxyEndpoint: ProxyEndpoint;
  readonly presence: Presence;
  readonly keepaliveSeconds: number;
  readonly warn: (message: string) => void;
  /** Brings the WireGuard end in line with the database; done when it is. */
  readonly reconcile: () => Promise<void>;
  /** Brings the usage book up to this moment. */
  readonly sample: () => Promise<void>;
}

/** One request, with everything that was checked before its handler is called. */
export interface Call<Name extends OperationName> {
  readonly request: WireRequest<Name>;
  /** The client whose own token came along; undefined where that was a network's. */
  readonly ownClientId: string | undefined;
  /** Whose token came along; where the operation takes none it may be undefined. */
  readonly network: (typeof operations)[Name]['authentication'] extends 'none'
    ? Network | undefined
    : Network;
}

/** Answers one operation; what it throws with usage-invalid is answered as an `error` object. */
type Handler<Name extends OperationName, Answer = InPages<WireResponse<Name>>> = (
  backend: Backend,
  call: Call<Name>,
) => Answer | Promise<Answer>;

/** What goes over the wire, but a list at its top may still be in pages. */
type InPages<Answer> = {
  [Field in keyof Answer]:
    | Answer[Field]
    | (NonNullable<Answer[Field]> extends readonly (infer Item)[] ? Pages<Item> : never);
};

/**
 * One per operation: a row added to the operations table does not compile until it is served here.
 */
export type Handlers = { readonly [Name in OperationName]: Handler<Name> };
