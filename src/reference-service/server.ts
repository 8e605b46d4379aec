import { createSocket } from 'node:dgram';
import { once as onceEmitted } from 'node:events';
import { isIPv6 } from 'node:net';
import type { DatabaseSync } from 'node:sqlite';
import { once } from '../lib/once.ts';
import type { ProfileName } from '../service/profiles.ts';
import { type Exec, exec as realExec } from '../system/exec.ts';
import { ensureOwnDirectory } from '../system/files.ts';
import { type AdminCommands, createAdminCommands } from './admin-commands.ts';
import { createRepositories, defaultClientLimit, type Letter } from './backend.ts';
import { identifyClient } from './callers.ts';
import {
  baseUrlSetting,
  keepSetting,
  lockDirectory,
  openDatabase,
  setSetting,
} from './database.ts';
import { createApplication } from './http.ts';
import { type ListenAddress, listenOn } from './listener.ts';
import { createPlatform } from './platform/platform.ts';
import { withSockets } from './platform/with-sockets.ts';
import { createPresence } from './presence.ts';
import { servedProfiles } from './profile.ts';
import { createKeyPair } from './proxies.ts';
import { createProxyEnd } from './proxy-end.ts';
import { startTunnelEnd } from './tunnel-end.ts';
import { startUpkeep } from './upkeep.ts';

/** How to run the service. Whatever is undefined has its default. */
export interface ReferenceServiceOptions {
  /**
   * The folder of the database, which is made if it is missing. Only one service may use it at a
   * time.
   */
  readonly directory: string;
  /** 127.0.0.1 and port 0, a free one, by default. */
  readonly listen?: ListenAddress | undefined;
  readonly profile?: ProfileName | undefined;
  /**
   * The host that registrations name as the other end of tunnels; by default the listen address.
   */
  readonly proxyHost?: string | undefined;
  /**
   * `auto` makes a real WireGuard end where that is possible. By default it is `off`, and
   * registrations have a tunnel that leads nowhere.
   */
  readonly wireGuard?: 'auto' | 'on' | 'off' | undefined;
  /** A UDP port; 0, the default, chooses a free one at the first start. */
  readonly wireGuardPort?: number | undefined;
  readonly wireGuardInterface?: string | undefined;
  /** The interface from which consumers' traffic comes; none by default. */
  readonly consumersInterface?: string | undefined;
  /** 25 by default; a production service always answers 0. */
  readonly keepaliveSeconds?: number | undefined;
  readonly clientLimit?: number | undefined;
  /** How long tokens are good, in seconds; 30 days by default. */
  readonly tokenSeconds?: number | undefined;
  /** How many of the platform's seconds pass in one; 1 by default. */
  readonly hasten?: number | undefined;
  readonly exec?: Exec | undefined;
  /** In ms since 1970; by default the system's clock. */
  readonly now?: (() => number) | undefined;
  readonly warn?: ((message: string) => void) | undefined;
  /** Called in the place of an e-mail or a text message; by default they go to standard error. */
  readonly deliver?: ((letter: Letter) => void) | undefined;
}

/** A service that runs, until `close`. */
export interface ReferenceService {
  /** Where it serves HTTP: `http://127.0.0.1:8080`, without a slash at the end. */
  readonly baseUrl: string;
  /** A code of the first network, good for one sign-in within ten minutes. */
  readonly authCode: string;
  /** Of a guest session that was not upgraded when the service started. */
  readonly guestJwt: string;
  readonly profile: ProfileName;
  /** The other end of the tunnels, or why this service has no such end. */
  readonly wireGuard: WireGuardState;
  /** The commands of the administrator, on this service's database. */
  readonly admin: AdminCommands;
  /** Stops and removes everything but the data; may be repeated. */
  close(): Promise<void>;
}

type WireGuardState =
  | {
      readonly state: 'on';
      readonly interface: string;
      readonly backend: 'kernel' | 'userspace';
      /** UDP. */
      readonly port: number;
      readonly publicKey: string;
    }
  | { readonly state: 'off'; readonly reason: string };

/**
 * Starts the service.
 * @throws already-running, state-unreadable, state-unwritable, usage-invalid (the address, data of
 * another version), whatever forbids WireGuard
 */
export async function startReferenceService(
  options: ReferenceServiceOptions,
): Promise<ReferenceService> {
  await ensureOwnDirectory(options.directory);
  const lock = await lockDirectory(options.directory);
  const opened: Close[] = [lock[Symbol.asyncDispose]];
  const close = once(async () => {
    // What was opened last is closed first, so that no caller is answered from something closed.
    for (const closeOne of opened.toReversed()) await closeOne();
  });
  try {
    /** `close` stops and removes everything except the data; it may be repeated. */
    const { warn = warnOnStderr } = options;
    const database = openDatabase(options.directory, warn);
    opened.push(() => database.close());
    return { ...(await startOn(database, { ...options, warn }, opened)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

type Close = () => void | PromiseLike<void>;

const loopbackOf: ReadonlyMap<string, string> = new Map(
  Object.entries({ '0.0.0.0': '127.0.0.1', '::': '::1' }),
);

const deliverOnStderr = ({ to, purpose, code }: Letter) =>
  void process.stderr.write(`sandbox: to ${to}, a code to ${letterOf[purpose]}: ${code}\n`);

const letterOf = { verify: 'verify it with', reset: 'set a new password with' } as const;

const warnOnStderr = (message: string) => void process.stderr.write(`sandbox: ${message}\n`);

async function startOn(
  database: DatabaseSync,
  options: ReferenceServiceOptions & { readonly warn: (message: string) => void },
  opened: Close[],
) {
  const { directory, now = Date.now, clientLimit = defaultClientLimit, warn } = options;
  const { listen = { address: '127.0.0.1', port: 0 }, wireGuardInterface = 'trib-ref0' } = options;
  const host = loopbackOf.get(listen.address) ?? listen.address;
  const profile = servedProfiles[options.profile ?? 'documented'];
  const terms = { profile, clientLimit, tokenSeconds: options.tokenSeconds, now };
  const repositories = createRepositories(database, terms);
  const { networks, clients, proxies, usage, tokens, codes } = repositories;
  const privateKey = keepSetting(database, 'wireguard-keys', () =>
    createKeyPair().privateKey.reveal(),
  );
  const keys = createKeyPair(Buffer.from(privateKey, 'base64'));
  const port = await keepPort(database, options.wireGuardPort ?? 0);
  // No client is connected to a service that is not running. A service that was killed could not
  // note that.
  usage.disconnectAll(now());
  opened.push(() => usage.disconnectAll(now()));

  const platform = createPlatform(database, {
    ...repositories,
    now,
    rate: options.hasten ?? 1,
    identify: (authorization) => identifyClient(repositories, authorization),
    networkOf: clients.networkOf,
    countsCompanions: profile.countsCompanions,
    // Called only for sockets, and those are accepted when everything below is there.
    onBeforeChange: () => presence.sampleNow(),
    warn,
  });
  opened.push(platform.close);
  const end = await startTunnelEnd({
    exec: options.exec ?? realExec,
    desired: options.wireGuard ?? 'off',
    wireGuard: {
      name: wireGuardInterface,
      keys,
      port,
      directory,
      consumersInterface: options.consumersInterface,
    },
    proxies,
    usage: withSockets(usage, platform.isConnected),
    now,
    warn,
  });
  opened.push(end.close);
  const { proxyHost = host } = options;
  const { address } = listen;
  const proxyEnd = await createProxyEnd(database, { proxies, address, host: proxyHost });
  opened.push(proxyEnd.close);
  const presence = createPresence(database, {
    usage,
    hasTunnelEnd: end.state.state === 'on',
    hasSocket: platform.isConnected,
    now,
  });
  opened.push(presence.sampleNow, usage.keepSearches);
  const backend = {
    ...repositories,
    ...terms,
    presence,
    platform,
    proxyEndpoint: { ...proxyEnd, host: proxyHost, port, publicKey: keys.publicKey },
    proxyEnd,
    keepaliveSeconds: profile.keepaliveSeconds ?? options.keepaliveSeconds ?? 25,
    warn,
    deliver: options.deliver ?? deliverOnStderr,
    async reconcile() {
      proxyEnd.closeGone();
      await end.reconcile();
    },
    async sample() {
      usage.keepSearches();
      presence.sample();
      await end.sample();
    },
  };
  opened.push(startUpkeep(backend));
  const listener = await listenOn(createApplication(backend).fetch, listen, platform.upgrade);
  // The listener waits for its connections, so the platform's sockets are ended before.
  opened.push(listener.close, platform.close);

  const baseUrl = `http://${isIPv6(host) ? `[${host}]` : host}:${listener.port}`;
  setSetting(database, baseUrlSetting, baseUrl);

  return {
    baseUrl,
    authCode: codes.issue('login', networks.ensureFirst().networkId, {
      durationMinutes: 10,
      uses: 1,
    }),
    guestJwt: await tokens.signNetwork(networks.ensureGuest()),
    profile: profile.name,
    wireGuard: end.state,
    admin: createAdminCommands(repositories),
  };
}

/**
 * The UDP port that registrations name for ever: the wanted one, otherwise the one in the database,
 * otherwise a free one.
 */
async function keepPort(database: DatabaseSync, desired: number): Promise<number> {
  if (desired !== 0) setSetting(database, 'wireguard-port', String(desired));
  await using socket = createSocket('udp4').bind(0);
  await onceEmitted(socket, 'listening');
  return Number(keepSetting(database, 'wireguard-port', () => String(socket.address().port)));
}
