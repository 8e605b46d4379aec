import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { Secret } from '../lib/secret.ts';
import { type Associations, createAssociations } from './associations.ts';
import { type AuthCodes, createAuthCodes } from './auth-codes.ts';
import { type ClientPages, createClientPages } from './client-pages.ts';
import { type Clients, createClients } from './clients.ts';
import { keepSetting } from './database.ts';
import type { Dialect } from './dialect.ts';
import { createEarners, type Earners } from './earners.ts';
import { createNetworkHistory, type NetworkHistory } from './network-history.ts';
import { createNetworks, type Networks } from './networks.ts';
import { createPasswords, type Passwords } from './passwords.ts';
import { createProviderDirectory, type ProviderDirectory } from './provider-directory.ts';
import { createProxies, type Proxies } from './proxies.ts';
import { createTokens, type Tokens } from './tokens.ts';
import { createUsageBook, type UsageBook } from './usage.ts';
import { createUsageHistory, type UsageHistory } from './usage-history.ts';
import { createWallets, type Wallets } from './wallets.ts';
import { createWorld, type World } from './world.ts';

/** What the service keeps, each part by its own rules; all of it is one database. */
export interface Books {
  readonly networks: Networks;
  readonly authCodes: AuthCodes;
  readonly passwords: Passwords;
  readonly wallets: Wallets;
  readonly earners: Earners;
  readonly clients: Clients;
  readonly clientPages: ClientPages;
  readonly associations: Associations;
  readonly proxies: Proxies;
  readonly usage: UsageBook;
  readonly usageHistory: UsageHistory;
  readonly networkHistory: NetworkHistory;
  readonly tokens: Tokens;
  readonly world: World;
  readonly directory: ProviderDirectory;
}

/** Devices that one network may have where nothing else is said. */
export const defaultClientLimit = 100_000;

interface BooksOptions {
  readonly dialect: Dialect;
  /** Devices that one network may have. */
  readonly clientLimit: number;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** The books of this database. */
export function createBooks(database: DatabaseSync, { dialect, clientLimit, now }: BooksOptions): Books {
  const { initialMode, codeAlphabet } = dialect;
  const proxies = createProxies(database);
  const clients = createClients(database, proxies, now);
  const networks = createNetworks(database, now);
  // Before any guest's: the first network is the one that is meant where none is named.
  networks.ensureFirst();
  const world = createWorld();
  return {
    networks,
    authCodes: createAuthCodes(database, codeAlphabet, now),
    passwords: createPasswords(database, codeAlphabet, now),
    wallets: createWallets(database, now),
    earners: createEarners(database),
    clients,
    clientPages: createClientPages(database),
    associations: createAssociations(database, { clients, clientLimit, initialMode, now }),
    proxies,
    usage: createUsageBook(database),
    usageHistory: createUsageHistory(database),
    networkHistory: createNetworkHistory(database),
    tokens: createTokens(new Secret(keepSetting(database, 'token-key', createTokenKey)), now),
    world,
    directory: createProviderDirectory(database, world, clients),
  };
}

/** Base64 of 32 random bytes. */
function createTokenKey(): string {
  return randomBytes(32).toString('base64');
}
