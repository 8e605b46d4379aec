import { isIPv6 } from 'node:net';
import type { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../lib/errors.ts';
import type { ProfileName } from '../service/profiles.ts';
import { type Exec, exec as realExec } from '../system/exec.ts';
import { ensureDirectory } from '../system/files.ts';
import { createAdministration, type GiveOrder, giveOrder } from './administration.ts';
import { type Books, createBooks, defaultClientLimit } from './books.ts';
import { openControlSocket } from './control-socket.ts';
import { keepSetting, openDatabase } from './database.ts';
import { dialects } from './dialect.ts';
import { createHandlers } from './handlers.ts';
import { createApplication } from './http.ts';
import { createKeyPair, parseKeyPair, renderKeyPair } from './key-pair.ts';
import { listenOn } from './listener.ts';
import { startPresence } from './presence.ts';
import { startTunnelEnd, type WireGuardState } from './tunnel-end.ts';
import { keepPort } from './udp-port.ts';
import { waitForDatabase } from './wait-for-database.ts';

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
  /** Of a guest session that was not upgraded when the service started. */
  readonly guestJwt: string;
  readonly profile: ProfileName;
  readonly wireGuard: WireGuardState;
  /** Another code for the same network. */
  newAuthCode(): string;
  /** Another network, with codes of its own. */
  createNetwork(networkName: string): { readonly networkId: string; newAuthCode(): string };
  /** Has done what the interface does not say how to. @throws usage-invalid for what cannot be */
  readonly order: GiveOrder;
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
  // An order that is done without a service has the database for a moment.
  const database = await waitForDatabase(1000, () => openDatabase(options.directory));
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
  const clientLimit = options.clientLimit ?? defaultClientLimit;
  const books = createBooks(database, { dialect, clientLimit, now });
  const { networks, proxies, usage, tokens } = books;
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
  const presence = startPresence(database, { usage, hasTunnelEnd: end.state.state === 'on', now, warn });
  const handlers = createHandlers({
    ...books,
    presence,
    dialect,
    proxyEndpoint: { host: options.proxyHost ?? toReachable(listen.address), port, publicKey: keys.publicKey },
    keepaliveSeconds: dialect.keepaliveSeconds ?? options.keepaliveSeconds ?? 25,
    clientLimit,
    now,
    reconcile: end.reconcile,
    sample() {
      presence.sample();
      return end.sample();
    },
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
  const administration = createAdministration(books);
  const opened: Close[] = [end.close, presence.close];
  try {
    const listener = await listenOn(application.fetch, listen);
    opened.push(listener.close);
    opened.push((await openControlSocket({ directory: options.directory, administration, warn })).close);
    const service = {
      baseUrl: toBaseUrl(listen.address, listener.port),
      guestJwt: await tokens.signNetwork(networks.ensureGuest()),
      profile,
      wireGuard: end.state,
      order: (name, request) => giveOrder(administration, name, request),
    } satisfies Partial<ReferenceService>;
    return toService({ database, books, opened, service, now }, signal);
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

type Close = () => Promise<void>;

/** The last that was opened first: nobody is answered by what is closed already. */
async function closeAll(opened: readonly Close[]): Promise<void> {
  for (const close of opened.toReversed()) await close();
}

interface Running {
  readonly database: DatabaseSync;
  readonly books: Books;
  readonly opened: readonly Close[];
  readonly service: Pick<ReferenceService, 'baseUrl' | 'guestJwt' | 'profile' | 'wireGuard' | 'order'>;
  readonly now: () => number;
}

function toService(running: Running, signal: AbortSignal | undefined): ReferenceService {
  const { database, books, opened, now } = running;
  const { authCodes, networks, usage } = books;
  const { networkId } = networks.ensureFirst();
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= (async () => {
      signal?.removeEventListener('abort', onAbort);
      await closeAll(opened);
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
  return {
    ...running.service,
    authCode: authCodes.issue(networkId, codeTerms),
    newAuthCode: () => authCodes.issue(networkId, codeTerms),
    createNetwork(networkName) {
      const network = networks.create(networkName);
      return { networkId: network.networkId, newAuthCode: () => authCodes.issue(network.networkId, codeTerms) };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function toBaseUrl(address: string, port: number): string {
  const host = toReachable(address);
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** An address that can be called: a wildcard one is reached at loopback. */
function toReachable(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  return address === '::' ? '::1' : address;
}

function warnOnStandardError(message: string): void {
  process.stderr.write(`sandbox: ${message}\n`);
}
