import { access, constants, lstat, open, readdir, readFile, stat, statfs } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type LoadConfigOptions, type LoadedConfig, loadConfig } from '../config/load.ts';
import { choosePlaces, resolvePlaces } from '../config/places.ts';
import { hasCode, systemCodeOf, TributaryError } from '../errors/codes.ts';
import { readMachine } from '../identity/load.ts';
import { createRegistrationFiles } from '../identity/registration-files.ts';
import { namePatienceMs } from '../lib/connect-in-turn.ts';
import { once } from '../lib/once.ts';
import { hostSide, namespaceName } from '../namespace/plan.ts';
import { parseServiceUrl } from '../service/url.ts';
import { toServiceContext } from '../source/wireguard/endpoint.ts';
import { parseIssuedTunnel } from '../source/wireguard/parse.ts';
import { type StatusDocument, statusDocument } from '../status/document.ts';
import { askAgent } from '../status/socket-client.ts';
import { type Exec, exec } from '../system/exec.ts';
import { isThere } from '../system/files.ts';
import { findHostHardware, isNetworkAdmin } from '../system/host-hardware.ts';
import { observeInterfaces, observeNetwork } from '../system/ip.ts';
import { type Askable, askForPublicAddresses } from '../system/public-addresses.ts';
import { tryConnection } from '../system/try-connection.ts';
import { knock, listClients, readDate } from './ask-service.ts';
import type { Disk, DoctorHost, KnownState, Place } from './host.ts';
import { resolveName, tryDatagram } from './probe-network.ts';

/** The real device: programs, files, the network and the service are really asked. */
export function openHost(options: LoadConfigOptions): DoctorHost {
  const userId = process.geteuid?.() ?? 0;
  const { stateDirectory } = choosePlaces(options);
  const configuration = once(() => loadConfig(options));
  const place = once(() => findPlace(userId));
  const inside = once(async () => {
    const found = await place();
    if (found.kind === 'own') return exec;
    if (found.inside !== undefined) return found.inside;
    const missing = "the agent's namespace is not there: it is made when the agent starts";
    throw new TributaryError(
      'host-namespace',
      userId === 0 ? missing : 'needs root: sudo tributary doctor',
    );
  });
  const state = once(() => readState(stateDirectory, userId, configuration));
  const names = new Map<string, () => Promise<string | undefined>>();
  const resolve = (host: string) => {
    const ask = names.get(host) ?? once(() => resolveName(exec, host));
    names.set(host, ask);
    return ask();
  };
  // A program resolves the name, because it can be killed. A lookup in this process would delay its
  // exit.
  const findService = async () => {
    const { service } = await configuration();
    const { hostname } = parseServiceUrl(service);
    if ((await resolve(hostname)) !== undefined) return service;
    throw new TributaryError('service-unreachable', `${hostname} has no address`);
  };
  return {
    now: () => new Date(),
    nodeVersion: process.versions.node,
    processor: process.arch,
    hostName: hostname(),
    userId,
    stateDirectory,
    disk: openDisk(),
    machine: once(() => readMachine()),
    exec,
    place,
    inside,
    isNetworkAdmin: once(() => isNetworkAdmin()),
    configuration,
    state,
    tunnel: once(async () => {
      const { registration } = await state();
      if (registration?.tunnel === undefined) return undefined;
      const { service, gateway } = (await configuration()).config;
      return parseIssuedTunnel(
        registration.tunnel,
        toServiceContext(service.base_url, gateway.allow_destinations),
      );
    }),
    status: once(() =>
      askStatus(options, { method: 'GET', path: '/status.json', timeoutMs: agentMs }),
    ),
    selfTest: once(() => askStatus(options, { method: 'POST', path: '/self-test' })),
    network: once(async () => observeNetwork(await inside())),
    networkHere: once(() => observeNetwork(exec)),
    serviceDate: async () => readDate(await findService()),
    knock: async () => knock(await findService(), 'clients'),
    clients: async () => listClients(await findService(), (await state()).token),
    resolve,
    tryDatagram,
    tryConnection: async (address: string, port: number) =>
      (await tryConnection(address, port, 800)) === 'connect',
    askOutside: (ways: Askable) => askForPublicAddresses(ways, AbortSignal.timeout(outsideMs)),
  };
}

/**
 * In ms; a server's name may have to be looked up first. It leaves room within a check's deadline
 * for trying the address that was found.
 */
const outsideMs: number = namePatienceMs + 8000;

async function findPlace(userId: number): Promise<Place> {
  // A container with systemd in it is a host without hardware of its own. There the link's end
  // shows that it is a host.
  const findLink = async () =>
    (await observeInterfaces(exec)).find(({ name }) => name === hostSide)?.name;
  const hardware = (await findHostHardware(exec)) ?? (await findLink());
  if (hardware === undefined) return { kind: 'own' };
  const isMade = await openDisk().isThere(`/run/netns/${namespaceName}`);
  const inside: Exec = ({ program, args, ...rest }) =>
    exec({ ...rest, program: 'ip', args: ['netns', 'exec', namespaceName, program, ...args] });
  return { kind: 'host', hardware, inside: isMade && userId === 0 ? inside : undefined };
}

async function readState(
  directory: string,
  userId: number,
  configuration: () => Promise<LoadedConfig>,
): Promise<KnownState> {
  const files = createRegistrationFiles(directory, () => undefined);
  const [identity, registration, jwt] = await Promise.all([
    files.identity.peek(),
    files.registration.peek(),
    files.networkJwt.peek(),
  ]).catch((error: unknown) => {
    const isClosed = hasCode(error, 'state-unreadable') && systemCodeOf(error.cause) === 'EACCES';
    if (userId === 0 || !isClosed) throw error;
    throw new TributaryError(
      'not-allowed',
      'the state directory belongs to another user: sudo tributary doctor',
    );
  });
  return {
    identity,
    registration,
    token: jwt?.token ?? (await configuration()).credentials.networkJwt,
  };
}

/**
 * How long (ms) the agent's answer is waited for. A small board is busy while all else is looked
 * at, and one that is overloaded has another fault than an agent that hangs.
 */
const agentMs = 15_000;

async function askStatus(
  options: LoadConfigOptions,
  request: Parameters<typeof askAgent>[1],
): Promise<StatusDocument> {
  const parsed = statusDocument.safeParse(await askAgent(await resolvePlaces(options), request));
  if (parsed.success) return parsed.data;
  throw new TributaryError(
    'command-failed',
    'the agent answers in another form: it is another version than this',
  );
}

/** The real disk. */
export function openDisk(): Disk {
  return {
    read: (path: string) => readFile(path, 'utf8').catch(() => undefined),
    isThere,
    tryOpen: (path: string) => findErrorCode(open(path, 'r+').then((file) => file.close())),
    tryWriting: (folder: string) => findErrorCode(access(folder, constants.W_OK | constants.X_OK)),
    async space(path: string) {
      const { bavail, bsize, files, ffree } = await statfs(path);
      return { freeBytes: bavail * bsize, files, freeFiles: ffree };
    },
    async holdings(folder: string) {
      const paths = [folder, ...(await readdir(folder)).map((name) => join(folder, name))];
      return Promise.all(
        paths.map(async (path) => {
          const found = await (path === folder ? stat : lstat)(path);
          const isDoubled = found.isFile() && found.nlink > 1;
          return { path, ownerId: found.uid, mode: found.mode & 0o777, isDoubled };
        }),
      );
    },
  };
}

function findErrorCode(trial: Promise<unknown>): Promise<string | undefined> {
  return trial.then(
    () => undefined,
    (error: unknown) => systemCodeOf(error) ?? 'unknown',
  );
}
