import { loadConfig } from '../../../src/config/load.ts';
import type { DoctorHost } from '../../../src/doctor/host.ts';
import { TributaryError } from '../../../src/errors/codes.ts';
import { Secret } from '../../../src/lib/secret.ts';
import { buildStatusDocument } from '../../../src/status/document.ts';
import type { Exec } from '../../../src/system/exec.ts';
import { now, providingFacts } from '../../../tools/docs/sample-facts.ts';

export const stateDirectory = '/nowhere/state';
export const installId = '00112233445566ff';
export const clientId = '11111111-2222-4333-8444-555555555555';

/** What programs say, by the beginning of their command line; a TributaryError is thrown. */
export type Said = Readonly<Record<string, string | TributaryError>>;

/** Answers with the longest beginning that fits; whatever else is run says nothing. */
export function createExec(said: Said): Exec {
  return async ({ program, args }) => {
    const line = [program, ...args].join(' ');
    const [, answer = ''] =
      Object.entries(said)
        .filter(([start]) => line.startsWith(start))
        .sort(([one], [other]) => other.length - one.length)[0] ?? [];
    if (answer instanceof TributaryError) throw answer;
    return answer;
  };
}

export const missing = (program: string) =>
  new TributaryError('missing-program', `the program ${program} is not installed`);

const fence = (policy: string, seconds: number) =>
  JSON.stringify({
    nftables: [
      { chain: { name: 'forward', hook: 'forward', policy } },
      {
        set: { name: 'own4', elem: ['45.83.100.7', { prefix: { addr: '192.168.1.0', len: 24 } }] },
      },
      { set: { name: 'permit', elem: [{ elem: { val: 'tributary0', expires: seconds } }] } },
    ],
  });

const healthy: Said = {
  'nft --json --terse list ruleset': '{"nftables": []}',
  'nft -j list table inet tributary': fence('drop', 42),
  'wg show all public-key': 'tributary0\tOWN=\n',
  'wg show all listen-port': 'tributary0\t4242\n',
};
export const openFence = fence('accept', 42);

/** A healthy device that provides; a test changes what it is about. */
export async function createHost(
  changes: Partial<DoctorHost> & { readonly said?: Said } = {},
): Promise<DoctorHost> {
  const { said = {}, ...host } = changes;
  const exec = createExec({ ...healthy, ...said });
  const loaded = await loadConfig({
    environment: { TRIBUTARY_SERVICE_BASE_URL: 'https://service.example', TRIBUTARY_CONFIG: '' },
    stateDirectory,
    userId: 0,
  });
  return {
    now: () => now,
    nodeVersion: '24.1.0',
    processor: 'arm64',
    hostName: 'attic-pi.home',
    userId: 0,
    stateDirectory,
    disk: createDisk({}),
    exec,
    machine: async () => ({}),
    place: async () => ({ kind: 'own' }),
    inside: async () => exec,
    isNetworkAdmin: async () => true,
    configuration: async () => loaded,
    state: async () => ({
      identity: { installId, clientId, isUncertain: false },
      registration: {
        installId,
        clientId,
        clientJwt: new Secret('client-jwt'),
        renewSeconds: 60,
        tunnel: undefined,
        storedAt: now.toISOString(),
        showsProduction: false,
      },
      token: new Secret('network-jwt'),
    }),
    tunnel: async () => tunnel,
    status: async () => buildStatusDocument(providingFacts, now),
    selfTest: async () => buildStatusDocument(providingFacts, now),
    network: async () => network,
    networkHere: host.network ?? (async () => network),
    serviceDate: async () => now,
    knock: async () => ({ status: 401, headers: {}, text: 'Not authorized' }),
    clients: async () => [{ ...row, clientId, deviceSpec: `box [tributary:${installId}]` }],
    resolve: async () => '45.83.9.2',
    tryDatagram: async () => undefined,
    tryConnection: async (_address, port) => port === 443,
    askOutside: async () => ({ answers: ['45.83.100.7'], addresses: ['45.83.100.7'] }),
    ...host,
  };
}

/** A disk with room, where everything opens; what is read is given by path. */
export function createDisk(
  files: Readonly<Record<string, string>>,
  changes: Partial<DoctorHost['disk']> = {},
): DoctorHost['disk'] {
  return {
    read: async (path) => files[path],
    isThere: async (path) => Object.hasOwn(files, path) || path === stateDirectory,
    tryOpen: async () => undefined,
    tryWriting: async () => undefined,
    space: async () => ({ freeBytes: 1e9, files: 1000, freeFiles: 900 }),
    holdings: async () => [{ path: stateDirectory, ownerId: 0, mode: 0o700, isDoubled: false }],
    ...changes,
  };
}

export const row = {
  clientId: undefined,
  sourceClientId: undefined,
  deviceId: undefined,
  networkId: undefined,
  description: undefined,
  deviceName: undefined,
  deviceSpec: undefined,
  createTime: undefined,
  authTime: undefined,
  provideMode: undefined,
  proxyClient: undefined,
  resident: undefined,
  connections: [],
};

export const tunnel = {
  privateKey: new Secret('private'),
  publicKey: 'OWN=',
  addresses: [{ family: 4, address: '10.64.0.5' }],
  mtu: 1420,
  peer: {
    publicKey: 'PEER=',
    presharedKey: undefined,
    endpoint: { host: 'proxy.example', port: 51820 },
    allowedIps: ['0.0.0.0/0'],
    persistentKeepaliveSeconds: 25,
  },
} as const;

const link = {
  isUp: true,
  isLoopback: false,
  mtu: 1500,
  hardwareAddress: undefined,
  kind: 'veth',
} as const;
export const lan = {
  ...link,
  name: 'eth0',
  addresses: [{ family: 4, address: '192.168.1.5', prefixLength: 24 }],
} as const;
export const ownLink = {
  ...link,
  name: 'tributary0',
  kind: 'tun',
  mtu: 1420,
  addresses: [{ family: 4, address: '10.64.0.5', prefixLength: 32 }],
} as const;
const defaultRoute = {
  family: 4,
  table: 'main',
  type: 'unicast',
  destination: 'default',
  interface: 'eth0',
  gateway: '192.168.1.1',
  metric: 0,
} as const;
/** By it, answers to consumers go into the tunnel. */
const wayBack = { ...defaultRoute, table: '51820', interface: 'tributary0' } as const;
const rule = (priority: number) =>
  ({ family: 4, priority, incomingInterface: undefined, table: undefined }) as const;
export const network = {
  families: [4] as const,
  interfaces: [lan, ownLink],
  routes: [defaultRoute, wayBack],
  ways: [{ family: 4, interface: 'eth0', gateway: '192.168.1.1' }] as const,
  rules: [rule(5181), rule(5182)],
};
