import { loadConfig } from '../config/load.ts';
import { choosePlaces } from '../config/places.ts';
import { resolveSocketPaths } from '../config/socket-paths.ts';
import { createNetworkJwtStore } from '../identity/network-jwt-store.ts';
import { createRegistrationFiles } from '../identity/registration-files.ts';
import { hasCode, systemCodeOf, TributaryError } from '../lib/errors.ts';
import { hostSide, namespaceName } from '../namespace/plan.ts';
import { isLoopback } from '../service/url.ts';
import { type StatusDocument, statusDocument } from '../status/document.ts';
import { askAgent } from '../status/socket-client.ts';
import { exec as realExec } from '../system/exec.ts';
import { findHostHardware } from '../system/host-hardware.ts';
import { observeInterfaces, observeNetwork } from '../system/ip.ts';
import { isNetworkAdmin } from '../system/network-admin.ts';
import { parseIssuedTunnel } from '../tunnel/parse.ts';
import { askService } from './ask-service.ts';
import type { DoctorHost, KnownState, Place } from './host.ts';
import { openDisk } from './open-disk.ts';
import { resolveName, tryDatagram } from './open-network.ts';

/** What the command line and the environment say. */
export interface DoctorOptions {
  readonly configPath: string | undefined;
  readonly stateDirectory: string | undefined;
  readonly environment: NodeJS.ProcessEnv;
}

/** The real host. Each observation is made when a check first asks for it, and only once. */
export function openHost(options: DoctorOptions): DoctorHost {
  const disk = openDisk();
  const exec = realExec;
  const userId = process.geteuid?.() ?? 0;
  const { stateDirectory } = choosePlaces(options);
  const configuration = once(() => loadConfig(options));
  const place = once(() => findPlace(userId));
  const inside = once(async () => findInside(await place(), userId));
  const state = once(() => readState(stateDirectory, userId, configuration));
  const resolve = oncePerName((host) => resolveName(exec, host));
  const service = askService({ configuration, resolve, findToken: async () => (await state()).token });
  return {
    now: () => new Date(),
    nodeVersion: process.versions.node,
    userId,
    stateDirectory,
    disk,
    exec,
    place,
    inside,
    isNetworkAdmin: once(() => isNetworkAdmin()),
    configuration,
    state,
    tunnel: once(async () => {
      const { registration } = await state();
      if (registration?.tunnel === undefined) return undefined;
      const base = new URL((await configuration()).config.service.base_url);
      return parseIssuedTunnel(registration.tunnel, { isServiceOnLoopback: isLoopback(base.hostname) });
    }),
    status: once(async () =>
      readStatus(await askAgent(await resolveSocketPaths(options), { method: 'GET', path: '/status.json' })),
    ),
    network: once(async () => observeNetwork(await inside())),
    networkHere: once(() => observeNetwork(exec)),
    ...service,
    resolve,
    tryDatagram,
  };
}

/** The same promise for every caller. */
function once<T>(act: () => Promise<T>): () => Promise<T> {
  let promise: Promise<T> | undefined;
  return () => {
    promise ??= act();
    return promise;
  };
}

function oncePerName<T>(act: (name: string) => Promise<T>): (name: string) => Promise<T> {
  const promises = new Map<string, Promise<T>>();
  return (name) => {
    const promise = promises.get(name) ?? act(name);
    promises.set(name, promise);
    return promise;
  };
}

async function findPlace(userId: number): Promise<Place> {
  const hardware = (await findHostHardware(realExec)) ?? (await findLink());
  if (hardware === undefined) return { kind: 'own' };
  const isThere = await openDisk().isThere(`/run/netns/${namespaceName}`);
  if (!isThere || userId !== 0) return { kind: 'host', hardware, inside: undefined };
  return {
    kind: 'host',
    hardware,
    inside: ({ program, args, ...rest }) =>
      realExec({ ...rest, program: 'ip', args: ['netns', 'exec', namespaceName, program, ...args] }),
  };
}

/** A container with systemd in it is a host without hardware of its own; there the link's end shows it. */
async function findLink(): Promise<string | undefined> {
  return (await observeInterfaces(realExec)).find(({ name }) => name === hostSide)?.name;
}

function findInside(place: Place, userId: number) {
  if (place.kind === 'own') return realExec;
  if (place.inside !== undefined) return place.inside;
  const why =
    userId === 0 ? "the agent's namespace is not there: it is made when the agent starts" : 'only root may look';
  throw new TributaryError('host-namespace', why);
}

async function readState(
  directory: string,
  userId: number,
  configuration: DoctorHost['configuration'],
): Promise<KnownState> {
  const files = createRegistrationFiles(directory, () => undefined);
  const [identity, registration, jwt] = await Promise.all([
    files.identity.peek(),
    files.registration.peek(),
    createNetworkJwtStore(directory, () => undefined).peek(),
  ]).catch((error: unknown) => {
    throw userId !== 0 && isClosed(error) ? new TributaryError('not-allowed', closedState) : error;
  });
  return { identity, registration, token: jwt?.token ?? (await configuration()).credentials.networkJwt };
}

const closedState = 'the state directory belongs to another user: sudo tributary doctor';

function isClosed(error: unknown): boolean {
  return hasCode(error, 'state-unreadable') && systemCodeOf(error.cause) === 'EACCES';
}

function readStatus(answer: unknown): StatusDocument {
  const parsed = statusDocument.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new TributaryError('command-failed', 'the agent answers in another form: it is another version than this');
}
