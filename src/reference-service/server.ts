import { randomBytes } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../lib/errors.ts';
import { Secret } from '../lib/secret.ts';
import type { ProfileName } from '../service/profiles.ts';
import { type Exec, exec as realExec } from '../system/exec.ts';
import { ensureDirectory } from '../system/files.ts';
import { createClients } from './clients.ts';
import { keepSetting, openDatabase } from './database.ts';
import { dialects } from './dialect.ts';
import { createHandlers } from './handlers.ts';
import { createApplication } from './http.ts';
import { createKeyPair, parseKeyPair, renderKeyPair } from './key-pair.ts';
import { type Listener, listenOn } from './listener.ts';
import { createNetworks, type Networks } from './networks.ts';
import { createProxies } from './proxies.ts';
import { createTokens } from './tokens.ts';
import { startTunnelEnd, type TunnelEnd, type WireGuardState } from './tunnel-end.ts';
import { keepPort } from './udp-port.ts';
import { createUsageBook, type UsageBook } from './usage.ts';

/** How to run the service; undefined anywhere means the default. */
export interface ReferenceServiceOptions {
  /** Where the database lies; made where it is not there. One service at a time has it. */
  readonly directory: string;
  /** Default 127.0.0.1, and port 0: a free one. */
  readonly listen?: { readonly address: string; readonly port: number } | undefined;
  /** Default `documented`. */
  readonly profile?: ProfileName | undefined;
  /** Host that registrations name as the tunnels' other end; the listen address by default. */
  readonly proxyHost?: string | undefined;
  /** `auto`: a real WireGuard end where that is possible. Default `off`: registrations carry a tunnel that leads nowhere. */
  readonly wireGuard?: 'auto' | 'on' | 'off' | undefined;
  /** UDP; 0 (the default) picks a free one the first time. */
  readonly wireGuardPort?: number | undefined;
  /** Default `trib-ref0`. */
  readonly wireGuardInterface?: string | undefined;
  /** The interface by which consumers' traffic arrives; by default none does. */
  readonly consumersInterface?: string | undefined;
  /** Default 25; a production service always answers 0. */
  readonly keepaliveSeconds?: number | undefined;
  /** Devices that one network may have; default 100000. */
  readonly clientLimit?: number | undefined;
  readonly exec?: Exec | undefined;
  /** Unix milliseconds; the system's clock by default. */
  readonly now?: (() => number) | undefined;
  /** Told what is worth knowing; standard error by default. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** A running service. */
export interface ReferenceService extends AsyncDisposable {
  readonly baseUrl: string;
  /** Good for one login, 10 minutes long. */
  readonly authCode: string;
  readonly profile: ProfileName;
  readonly wireGuard: WireGuardState;
  /** Another code for the same network. */
  newAuthCode(): string;
  /** Another network, with codes of its own. */
  createNetwork(networkName: string): { readonly networkId: string; newAuthCode(): string };
  /** Stops and removes everything but the data; may be repeated. */
  close(): Promise<void>;
}

const codeTerms = { durationMinutes: 10, uses: 1 };

/**
 * Starts the service; it ends at `close` or when the signal aborts. @throws already-running, state-unreadable,
 * state-unwritable, usage-invalid (the address cannot be listened on), and, where WireGuard must be on, whatever forbids it
 */
export async function startReferenceService(
  options: ReferenceServiceOptions,
  signal?: AbortSignal,
): Promise<ReferenceService> {
  await ensureDirectory(options.directory);
  const database = openDatabase(options.directory);
  try {
    return await startOn(database, options, signal);
  } catch (error) {
    database.close();
    throw error;
  }
}

async function startOn(database: DatabaseSync, options: ReferenceServiceOptions, signal: AbortSignal | undefined) {
  const { now = Date.now, warn = warnOnStandardError, profile = 'documented' } = options;
  const { listen = { address: '127.0.0.1', port: 0 } } = options;
  const dialect = dialects[profile];
  const networks = createNetworks(database, now);
  const proxies = createProxies(database);
  const usage = createUsageBook(database);
  const tokens = createTokens(new Secret(keepSetting(database, 'token-key', createTokenKey)), now);
  const keys = parseKeyPair(keepSetting(database, 'wireguard-keys', () => renderKeyPair(createKeyPair())));
  const port = await keepPort(database, options.wireGuardPort ?? 0);
  // Nobody is connected to a service that does not run; one that was killed could not say so.
  usage.disconnectAll(now());

  const end = await startTunnelEnd({
    exec: options.exec ?? realExec,
    wanted: options.wireGuard ?? 'off',
    wireGuard: { name: options.wireGuardInterface ?? 'trib-ref0', keys, port, directory: options.directory },
    consumersInterface: options.consumersInterface,
    proxies,
    usage,
    now,
    warn,
  });
  const handlers = createHandlers({
    dialect,
    networks,
    clients: createClients(database, proxies, now),
    proxies,
    usage,
    tokens,
    proxyEndpoint: { host: options.proxyHost ?? toReachable(listen.address), port, publicKey: keys.publicKey },
    keepaliveSeconds: dialect.keepaliveSeconds ?? options.keepaliveSeconds ?? 25,
    clientLimit: options.clientLimit ?? 100_000,
    now,
    reconcile: end.reconcile,
    sample: end.sample,
  });
  const application = createApplication({
    dialect,
    handlers,
    authenticate: async (token) => {
      const networkId = await tokens.readNetwork(token);
      return networkId === undefined ? undefined : networks.find(networkId);
    },
    warn,
  });
  const listener = await listenOn(application.fetch, listen).catch(async (error) => {
    await end.close();
    throw error;
  });
  return toService({ database, networks, usage, end, listener, listen, profile, now }, signal);
}

interface Running {
  readonly database: DatabaseSync;
  readonly networks: Networks;
  readonly usage: UsageBook;
  readonly end: TunnelEnd;
  readonly listener: Listener;
  readonly listen: { readonly address: string };
  readonly profile: ProfileName;
  readonly now: () => number;
}

function toService(running: Running, signal: AbortSignal | undefined): ReferenceService {
  const { database, networks, usage, end, listener, listen, profile, now } = running;
  const { networkId } = networks.ensureFirst();
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= (async () => {
      signal?.removeEventListener('abort', onAbort);
      await listener.close();
      await end.close();
      usage.disconnectAll(now());
      database.close();
    })();
    return closing;
  };
  const onAbort = () => {
    close().catch((error) => warnOnStandardError(`closing: ${messageOf(error)}`));
  };
  if (signal?.aborted) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  const host = toReachable(listen.address);
  const service: ReferenceService = {
    baseUrl: `http://${isIPv6(host) ? `[${host}]` : host}:${listener.port}`,
    authCode: networks.issueCode(networkId, codeTerms),
    profile,
    wireGuard: end.state,
    newAuthCode: () => networks.issueCode(networkId, codeTerms),
    createNetwork(networkName) {
      const network = networks.create(networkName);
      return { networkId: network.networkId, newAuthCode: () => networks.issueCode(network.networkId, codeTerms) };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
  return service;
}

/** Base64 of 32 random bytes. */
function createTokenKey(): string {
  return randomBytes(32).toString('base64');
}

/** An address that can be called: a wildcard one is reached at loopback. */
function toReachable(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  return address === '::' ? '::1' : address;
}

function warnOnStandardError(message: string): void {
  process.stderr.write(`sandbox: ${message}\n`);
}
