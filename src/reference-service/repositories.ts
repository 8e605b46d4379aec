import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { Secret } from '../lib/secret.ts';
import { createAssociations } from './associations.ts';
import { createAuthCodes } from './auth-codes.ts';
import { createClients } from './clients.ts';
import { keepSetting } from './database.ts';
import { createNetworks } from './networks.ts';
import { createPasswords } from './passwords.ts';
import type { ServedProfile } from './profile.ts';
import { createProviderDirectory } from './provider-directory.ts';
import { createProxies } from './proxies.ts';
import { createTokens } from './tokens.ts';
import { createUsageRepository } from './usage.ts';
import { createNetworkHistory, createUsageHistory } from './usage-history.ts';
import { createWallets } from './wallets.ts';
import { createWorld } from './world.ts';

/** What the service keeps, each part by its own rules; all of it is one database. */
export type Repositories = ReturnType<typeof createRepositories>;

/** Devices that one network may have where nothing else is said. */
export const defaultClientLimit = 100_000;

interface RepositoriesOptions {
  readonly profile: ServedProfile;
  /** Devices that one network may have. */
  readonly clientLimit: number;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** The repositories of this database. */
export function createRepositories(database: DatabaseSync, { profile, clientLimit, now }: RepositoriesOptions) {
  const { initialMode, codeAlphabet } = profile;
  const proxies = createProxies(database);
  const clients = createClients(database, proxies, now);
  const networks = createNetworks(database, now);
  // Before any guest's: the first network is the one that is meant where none is named.
  networks.ensureFirst();
  return {
    networks,
    authCodes: createAuthCodes(database, codeAlphabet, now),
    passwords: createPasswords(database, codeAlphabet, now),
    wallets: createWallets(database, now),
    clients,
    associations: createAssociations(database, { clients, clientLimit, initialMode, now }),
    proxies,
    usage: createUsageRepository(database),
    usageHistory: createUsageHistory(database),
    networkHistory: createNetworkHistory(database),
    tokens: createTokens(new Secret(keepSetting(database, 'token-key', createTokenKey)), now),
    world: createWorld(),
    directory: createProviderDirectory(database),
  } as const;
}

/** Base64 of 32 random bytes. */
function createTokenKey(): string {
  return randomBytes(32).toString('base64');
}
