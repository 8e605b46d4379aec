import { describe, expect, it, test } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { configSchema } from '../../../src/config/schema.ts';
import { lookAtConfiguration } from '../../../src/doctor/checks/agent.ts';
import { type CheckId, checks } from '../../../src/doctor/checks.ts';
import type { DoctorHost } from '../../../src/doctor/host.ts';
import { runChecks } from '../../../src/doctor/run-checks.ts';
import { TributaryError } from '../../../src/errors/codes.ts';
import { Secret } from '../../../src/lib/secret.ts';
import { buildStatusDocument } from '../../../src/status/document.ts';
import {
  ago,
  createFacts,
  freshFacts,
  now,
  programSource,
  providingFacts,
} from '../../../tools/docs/sample-facts.ts';
import {
  clientId,
  createDisk,
  createExec,
  createHost,
  installId,
  lan,
  missing,
  network,
  openFence,
  ownLink,
  row,
  type Said,
  stateDirectory,
  tunnel,
} from './fake-host.ts';

type Changes = Partial<DoctorHost> & { readonly said?: Said };

const throwing = (error: TributaryError) => async () => Promise.reject(error);
const answer = (status: number, text: string, headers = {}) => ({
  knock: async () => ({ status, headers, text }),
});
const marked = { ...row, clientId, deviceSpec: `box [tributary:${installId}]` };
const expired = new Secret(
  `e30.${Buffer.from(JSON.stringify({ exp: now.getTime() / 1000 - 60 })).toString('base64url')}.`,
);
const withToken = (token: Secret | undefined) => ({
  state: async () => ({ ...(await (await createHost()).state()), token }),
});
const withSource = (source: 'wireguard' | 'connect') => async () => {
  const loaded = await (await createHost()).configuration();
  return { ...loaded, config: { ...loaded.config, source } };
};
/** The agent is in a namespace on a host, from which `connecting` is the answer to a connection. */
const behindFence = (connecting: string | TributaryError) => ({
  place: async () =>
    ({
      kind: 'host',
      hardware: 'eth0',
      inside: createExec({ [process.execPath]: connecting }),
    }) as const,
});
const tracked = '/proc/sys/net/netfilter/nf_conntrack_count';
const most = '/proc/sys/net/netfilter/nf_conntrack_max';
/** The resolv.conf of the agent's namespace. */
const servers = '/etc/netns/tributary/resolv.conf';
/** The package's, with the user that it makes. */
const onHost = (files: Readonly<Record<string, string>>) => ({
  ...behindFence(''),
  disk: createDisk({ '/etc/passwd': 'tributary:x:998:998::/:/usr/sbin/nologin\n', ...files }),
});
const withStatus = (changes: Partial<typeof providingFacts>) => ({
  status: async () => buildStatusDocument({ ...providingFacts, ...changes }, now),
});
const withHousehold = (changes: Partial<typeof providingFacts.provide.household>) => {
  const { provide } = providingFacts;
  return withStatus({ provide: { ...provide, household: { ...provide.household, ...changes } } });
};
const nft = (...rows: readonly object[]) => ({
  'nft --json --terse list ruleset': JSON.stringify({ nftables: rows }),
});
const filter = { family: 'ip', table: 'filter' };
const closed = { chain: { ...filter, name: 'FORWARD', hook: 'forward', policy: 'drop' } };
const dockerUser = { chain: { ...filter, name: 'DOCKER-USER' } };
const throughDocker = {
  rule: {
    ...filter,
    chain: 'DOCKER-USER',
    handle: 1,
    expr: [
      { match: { op: '==', left: { meta: { key: 'iifname' } }, right: 'tributary0' } },
      { counter: { packets: 0, bytes: 0 } },
      { accept: null },
    ],
  },
};
const firewalld = { family: 'inet', table: 'firewalld' };
const forwardOfFirewalld = { ...firewalld, chain: 'filter_FORWARD' };
const established = { match: { op: 'in', left: { ct: { key: 'state' } }, right: 'established' } };

/** One thing wrong each: the only failure, what is found, what fixes it. */
const faults: readonly (readonly [
  name: string,
  id: CheckId,
  found: RegExp,
  fix: RegExp,
  changes: Changes,
])[] = [
  ['a 32-bit system', 'node', /for arm: only 64-bit/, /64-bit system/, { processor: 'arm' }],
  [
    'a wrong configuration',
    'configuration',
    /^provide\.mode: no \(and 1 more\)$/,
    /config check/,
    {
      configuration: throwing(
        new TributaryError('configuration-invalid', 'it is wrong:\n  provide.mode: no\n  x: no'),
      ),
    },
  ],
  [
    'no configuration yet',
    'configuration',
    /^this device is not set up yet$/,
    /^sudo tributary setup$/,
    {
      configuration: throwing(
        new TributaryError('configuration-invalid', 'it is wrong:\nservice.base_url: missing', {
          action: 'Set this device up: sudo tributary setup',
        }),
      ),
    },
  ],
  [
    'little memory',
    'memory',
    /9\.22 MB available/,
    /ps -eo/,
    { disk: createDisk({ '/proc/meminfo': 'MemAvailable: 9000 kB\nSwapFree: 100 kB\n' }) },
  ],
  [
    'a container without memory',
    'memory',
    /container/,
    /docker update/,
    {
      disk: createDisk({
        '/proc/meminfo': 'MemAvailable: 900000 kB\n',
        '/sys/fs/cgroup/memory.max': '50000000\n',
        '/sys/fs/cgroup/memory.current': '49000000\n',
      }),
    },
  ],
  [
    'a full disk',
    'disk',
    /free/,
    /du -xh/,
    { disk: createDisk({}, { space: async () => ({ freeBytes: 1000, files: 9, freeFiles: 0 }) }) },
  ],
  [
    'no room for files',
    'disk',
    /3 more files/,
    /df -i/,
    { disk: createDisk({}, { space: async () => ({ freeBytes: 1e9, files: 900, freeFiles: 3 }) }) },
  ],
  [
    'an identity of another machine',
    'disk',
    /registered on another machine/,
    /sudo tributary device keep.*sudo tributary device new/,
    {
      machine: async () => ({ 'machine-id': 'here' }),
      state: async () => {
        const healthy = await (await createHost()).state();
        return {
          ...healthy,
          identity: { installId, clientId, isUncertain: false, machine: { 'machine-id': 'there' } },
        };
      },
    },
  ],
  [
    'a file of a newer version',
    'disk',
    /identity\.json: it was made by a newer version/,
    /^Install the newer version/,
    {
      state: throwing(
        new TributaryError(
          'state-unreadable',
          'reading identity.json: it was made by a newer version',
          { action: 'Install the newer version of tributary again.' },
        ),
      ),
    },
  ],
  [
    'a read-only disk',
    'disk',
    /read-only/,
    /remount,rw/,
    { disk: createDisk({}, { tryWriting: async () => 'EROFS' }) },
  ],
  [
    'a container without a volume',
    'disk',
    /lost with it: it will be a new device/,
    /docker run --volume tributary:/,
    { disk: createDisk({ '/.dockerenv': '', '/proc/self/mountinfo': '6 5 0:5 / / rw - overlay' }) },
  ],
  [
    'a file of another user',
    'disk',
    /identity\.json belongs to another user/,
    /chown -R --reference/,
    {
      disk: createDisk(
        {},
        {
          holdings: async () => [
            { path: stateDirectory, ownerId: 0, mode: 0o700, isDoubled: false },
            {
              path: `${stateDirectory}/identity.json`,
              ownerId: 1000,
              mode: 0o600,
              isDoubled: false,
            },
          ],
        },
      ),
    },
  ],
  [
    "a second name of another user's file",
    'disk',
    /shadow is a second name/,
    /^sudo rm '/,
    {
      disk: createDisk(
        {},
        {
          holdings: async () => [
            { path: stateDirectory, ownerId: 1000, mode: 0o700, isDoubled: false },
            { path: `${stateDirectory}/identity.json`, ownerId: 0, mode: 0o600, isDoubled: false },
            { path: `${stateDirectory}/shadow`, ownerId: 0, mode: 0o600, isDoubled: true },
          ],
        },
      ),
    },
  ],
  [
    'a root that may change no network',
    'privileges',
    /CAP_NET_ADMIN is missing/,
    /tributary run/,
    { isNetworkAdmin: async () => false },
  ],
  [
    'an ordinary user on a host without pasta',
    'namespace',
    /cannot create one/,
    /passt/,
    {
      userId: 1000,
      isNetworkAdmin: async () => false,
      place: async () => ({ kind: 'host', hardware: 'eth0', inside: undefined }),
    },
  ],
  [
    'a host without user namespaces',
    'host-rights',
    /user namespaces are switched off here: .* could reach the network of this host/,
    /user\.max_user_namespaces=/,
    onHost({ '/proc/sys/user/max_user_namespaces': '0\n' }),
  ],
  [
    'a namespace of an older version',
    'host-rights',
    /made without its own user namespace/,
    /systemctl stop tributary && sudo systemctl start tributary$/,
    onHost({ '/proc/sys/user/max_user_namespaces': '15000\n' }),
  ],
  ['the year 1970', 'clock', /believes it is 1970/, /timedatectl/, { now: () => new Date(5000) }],
  ['a clock ahead', 'clock', /1 h ahead of/, /timedatectl/, { serviceDate: async () => ago(3600) }],
  ['no nft', 'nft', /not installed/, /nftables/, { said: { nft: missing('nft') } }],
  [
    "Synology's kernel, seen from a container",
    'nft',
    /kernel of Synology DSM has no nftables/,
    /another device, or Debian in a virtual machine/,
    {
      said: {
        'nft list chains': new TributaryError(
          'command-failed',
          'cache initialization failed: Invalid argument',
        ),
      },
      disk: createDisk({ '/proc/sys/kernel/syno_hw_version': 'DS920+' }),
    },
  ],
  [
    'a kernel without nft',
    'nft',
    /not supported/,
    /modprobe/,
    { said: { 'nft list chains': new TributaryError('command-failed', 'not supported') } },
  ],
  [
    'no tun',
    'tun',
    /missing/,
    /modprobe tun/,
    { disk: createDisk({}, { tryOpen: async () => 'ENOENT' }) },
  ],
  [
    'no tun in a container',
    'tun',
    /missing/,
    /--device/,
    { disk: createDisk({ '/.dockerenv': '' }, { tryOpen: async () => 'ENOENT' }) },
  ],
  [
    'no tun for the network’s own protocol, though the kernel has WireGuard',
    'tun',
    /missing/,
    /modprobe tun/,
    {
      configuration: withSource('connect'),
      disk: createDisk({ '/sys/module/wireguard': '' }, { tryOpen: async () => 'ENOENT' }),
    },
  ],
  [
    'no wg',
    'wireguard',
    /program wg/,
    /wireguard-tools/,
    { said: { wg: missing('wg'), 'wireguard-go': '' } },
  ],
  [
    'no wireguard-go',
    'wireguard',
    /wireguard-go is not installed/,
    /wireguard-go/,
    { said: { 'wireguard-go': missing('wireguard-go') } },
  ],
  [
    'no default route',
    'uplink',
    /no default route/,
    /dhclient/,
    { network: async () => ({ ...network, routes: [], ways: [] }) },
  ],
  [
    'a host that has IPv6 alone',
    'uplink',
    /nothing leaves over IPv4: it has IPv6 alone/,
    /ip -4 route/,
    {
      place: async () => ({ kind: 'host', hardware: 'eth0', inside: createExec({}) }),
      networkHere: async () => ({
        ...network,
        ways: [{ family: 6, interface: 'eth0', gateway: 'fe80::1' }],
      }),
    },
  ],
  [
    'a default route in a VRF',
    'uplink',
    /in a VRF \(blue\), which the agent does not use/,
    /table all/,
    {
      place: async () => ({ kind: 'host', hardware: 'eth0', inside: createExec({}) }),
      networkHere: async () => ({
        ...network,
        interfaces: [...network.interfaces, { ...lan, name: 'blue', kind: 'vrf', addresses: [] }],
        routes: network.routes.map((route) => ({ ...route, table: '10' })),
        ways: [],
      }),
    },
  ],
  [
    'an uplink that is down',
    'uplink',
    /eth0, which is down/,
    /ip link set eth0 up/,
    { network: async () => ({ ...network, interfaces: [{ ...lan, isUp: false }, ownLink] }) },
  ],
  [
    'Docker',
    'firewalls',
    /^Docker blocks forwarded traffic/,
    /DOCKER-USER -i tributary0 -j ACCEPT/,
    { said: nft(closed, dockerUser) },
  ],
  [
    'ufw',
    'firewalls',
    /^ufw blocks forwarded traffic/,
    /ufw route allow in on tributary0/,
    { said: nft(closed, { chain: { ...filter, name: 'ufw-before-forward' } }) },
  ],
  [
    'Docker on a host',
    'firewalls',
    /^Docker blocks forwarded traffic/,
    /^sudo tributary namespace up$/,
    {
      place: async () => ({ kind: 'host', hardware: 'eth0', inside: createExec({}) }),
      said: nft(closed, dockerUser, throughDocker),
    },
  ],
  [
    'an old iptables',
    'firewalls',
    /^iptables blocks forwarded traffic/,
    /iptables-legacy -I FORWARD -i tributary0/,
    {
      disk: createDisk({ '/proc/net/ip_tables_names': 'nat\nfilter\n' }),
      said: { 'iptables-legacy': '-P INPUT ACCEPT\n-P FORWARD DROP\n' },
    },
  ],
  [
    'a host without a default route',
    'uplink',
    /no default route/,
    /dhclient/,
    {
      place: async () => ({ kind: 'host', hardware: 'eth0', inside: createExec({}) }),
      networkHere: async () => ({ ...network, routes: [], ways: [] }),
    },
  ],
  [
    'firewalld',
    'firewalls',
    /^firewalld blocks forwarded traffic/,
    /firewall-cmd/,
    {
      said: nft(
        { table: { family: 'inet', name: 'firewalld', flags: ['owner', 'persist'] } },
        { chain: { ...firewalld, name: 'filter_FORWARD', hook: 'forward', policy: 'accept' } },
        { rule: { ...forwardOfFirewalld, handle: 1, expr: [established, { accept: null }] } },
        { rule: { ...forwardOfFirewalld, handle: 2, expr: [{ reject: { type: 'icmpx' } }] } },
      ),
    },
  ],
  [
    'an exit node of Tailscale',
    'tailscale',
    /exit node/,
    /--exit-node=/,
    {
      said: {
        'ip -j -4 route': JSON.stringify([{ dst: 'default', dev: 'tailscale0', table: '52' }]),
      },
    },
  ],
  [
    'a tunnel in Tailscale’s range',
    'tailscale',
    /100\.64\.0\.5/,
    /namespace up/,
    {
      network: async () => ({
        ...network,
        interfaces: [...network.interfaces, { ...lan, name: 'tailscale0', addresses: [] }],
      }),
      tunnel: async () => ({ ...tunnel, addresses: [{ family: 4, address: '100.64.0.5' }] }),
    },
  ],
  [
    'rules that networkd took away',
    'networkd',
    /deletes the agent's routing rules/,
    /ManageForeignRoutingPolicyRules=no/,
    {
      disk: createDisk({ '/run/systemd/netif/state': '' }),
      network: async () => ({ ...network, rules: [] }),
    },
  ],
  [
    'no name server',
    'dns',
    /service\.example has no address/,
    /getent/,
    { resolve: async () => undefined },
  ],
  [
    'a table of connections that is almost full',
    'connections',
    /59000 connections of 65536 at most/,
    /conntrack -L.*nf_conntrack_max/,
    { disk: createDisk({ [tracked]: '59000\n', [most]: '65536\n' }) },
  ],
  [
    'a host that keeps connections for days',
    'connections',
    /no ct timeout/,
    /CONFIG_NF_CONNTRACK_TIMEOUT/,
    {
      ...behindFence(''),
      disk: createDisk({ [tracked]: '5900\n', [most]: '65536\n' }),
      said: {
        'nft --terse list table inet tributary_host':
          'table inet tributary_host { chain input {} }',
      },
    },
  ],
  [
    'a namespace without a name server',
    'dns',
    /the agent's namespace has no name server/,
    /such as your router.*namespace up/,
    { ...behindFence(''), disk: createDisk({ [servers]: '' }) },
  ],
  [
    'a namespace without a name server, seen by an ordinary user',
    'dns',
    /the agent's namespace has no name server/,
    /such as your router/,
    {
      place: async () => ({ kind: 'host', hardware: 'eth0', inside: undefined }),
      disk: createDisk({ [servers]: '' }),
    },
  ],
  [
    'a name server that does not answer the namespace',
    'dns',
    /service\.example has an address on this host, but none in .* asks 198\.18\.213\.1/,
    /ip netns exec tributary getent ahosts service\.example/,
    {
      place: async () => ({
        kind: 'host',
        hardware: 'eth0',
        inside: createExec({
          [process.execPath]: '',
          getent: new TributaryError('command-failed', '2'),
        }),
      }),
      disk: createDisk({ [servers]: 'nameserver 198.18.213.1\n' }),
    },
  ],
  [
    'a service that is gone',
    'service',
    /ECONNREFUSED/,
    /curl -v/,
    {
      knock: throwing(new TributaryError('service-unreachable', 'no connection: ECONNREFUSED')),
      clients: throwing(new TributaryError('service-unreachable', '')),
    },
  ],
  [
    'a certificate nobody knows',
    'service',
    /certificate/,
    /service\.ca_file/,
    {
      knock: throwing(
        new TributaryError('service-unreachable', 'unable to verify the first certificate'),
      ),
    },
  ],
  [
    'a portal',
    'service',
    /captive portal/,
    /browser/,
    answer(200, '<html>', { 'content-type': 'text/html' }),
  ],
  [
    'a redirect',
    'service',
    /points to portal\.example/,
    /browser/,
    answer(302, '', { location: 'https://portal.example/?token=x' }),
  ],
  [
    'a service in a private network, which the fence refuses',
    'service',
    /service\.example is 192\.168\.1\.7, .*the fence/,
    /Add 192\.168\.1\.7 to gateway\.allow_destinations/,
    { ...behindFence(''), resolve: async () => '192.168.1.7' },
  ],
  [
    'a service that answers the host alone',
    'service',
    /answers on this host, but .* no connection to 45\.83\.9\.9/,
    /restart tributary-netns/,
    { ...behindFence(new TributaryError('command-failed', '1')), resolve: async () => '45.83.9.9' },
  ],
  ['a failing service', 'service', /502/, /wait/, answer(502, '')],
  ['another service', 'service', /does not serve/, /base_url/, answer(404, '{}')],
  [
    'no sign-in',
    'token',
    /not signed in/,
    /login/,
    { ...withToken(undefined), clients: throwing(new TributaryError('signed-out', '')) },
  ],
  ['a sign-in that ran out', 'token', /expired 1 min ago/, /login/, withToken(expired)],
  [
    'a sign-in that was revoked',
    'token',
    /no longer accepts/,
    /login/,
    { clients: throwing(new TributaryError('not-authorized', '')) },
  ],
  [
    'a sign-in that the agent keeps although it is refused',
    'token',
    /has refused the sign-in since \d{4}-/,
    /asks again/,
    {
      clients: throwing(new TributaryError('not-authorized', '')),
      ...withStatus({ registrationProblem: { code: 'sign-in-refused', message: '', since: now } }),
    },
  ],
  [
    'a sign-in that ends soon and is not renewed',
    'token',
    /ends in 6 d/,
    /login/,
    withStatus({
      signIn: {
        endsAt: now,
        ending: { code: 'sign-in-ending', message: 'It ends in 6 d.', since: now },
      },
    }),
  ],
  [
    'a log that cannot be written',
    'log',
    /no space left/,
    /Make room/,
    withStatus({
      log: {
        problem: { code: 'log-unwritten', message: 'no space left on device', since: now },
        droppedLines: 3,
      },
    }),
  ],
  [
    'a receiver that gets nothing',
    'reports',
    /hook\.example/,
    /receiver runs/,
    {
      ...withStatus({
        undelivered: { code: 'report-undelivered', message: 'hook.example: 404', since: now },
      }),
      configuration: async () => {
        const loaded = await (await createHost()).configuration();
        const report = { ...loaded.config.report, webhook: { url: 'https://hook.example/' } };
        return { ...loaded, config: { ...loaded.config, report } } as never;
      },
    },
  ],
  [
    'the wrong profile',
    'profile',
    /speaks production/,
    /config set service\.profile production && /,
    {
      state: async () => {
        const known = await (await createHost()).state();
        return {
          ...known,
          registration: known.registration && { ...known.registration, showsProduction: true },
        };
      },
    },
  ],
  [
    'a client that is gone',
    'client',
    /no longer lists/,
    /adopted this device: sudo tributary login, with a code of that network.*--new-device/,
    { clients: async () => [] },
  ],
  [
    'a second client',
    'client',
    /listed twice, also as other/,
    /tributary device remove other/,
    { clients: async () => [marked, { ...marked, clientId: 'other' }] },
  ],
  [
    'an agent that hangs',
    'agent',
    /no answer/,
    /systemctl restart/,
    { status: throwing(new TributaryError('command-failed', 'asking the agent: no answer')) },
  ],
  [
    'a LAN with the tunnel’s addresses',
    'collision',
    /10\.64\.0\.5 is in the network of eth0/,
    /another range/,
    {
      network: async () => ({
        ...network,
        interfaces: [
          { ...lan, addresses: [{ family: 4, address: '10.64.0.1', prefixLength: 24 }] },
          ownLink,
        ],
      }),
    },
  ],
  [
    'a twin of the tunnel',
    'other-wireguard',
    /wg7 also uses the tunnel's key/,
    /delete wg7/,
    { said: { 'wg show all public-key': 'tributary0\tOWN=\nwg7\tOWN=\n' } },
  ],
  [
    'a rival for the port',
    'other-wireguard',
    /wg7 listens/,
    /wg set wg7/,
    { said: { 'wg show all listen-port': 'tributary0\t4242\nwg7\t4242\n' } },
  ],
  [
    'a device to which no tunnel was issued',
    'endpoint',
    /issued no WireGuard configuration: it needs proxy\.country_code/,
    /a country that has providers: tributary service locations/,
    { tunnel: async () => undefined },
  ],
  ['a refused datagram', 'endpoint', /refused/, /UDP/, { tryDatagram: async () => 'ECONNREFUSED' }],
  [
    'a silent endpoint',
    'handshake',
    /answered 10 min ago/,
    /UDP to 198/,
    withStatus({ tunnel: { ...providingFacts.tunnel, lastHandshakeAt: ago(600) } }),
  ],
  [
    'a tunnel silent for 50 minutes where the service asks for a renewal once an hour',
    'handshake',
    /answered 50 min ago/,
    /UDP to 198/,
    withStatus({
      tunnel: { ...providingFacts.tunnel, lastHandshakeAt: ago(3000) },
      service: { ...providingFacts.service, renewSeconds: 3600 },
    }),
  ],
  [
    'a source of another kind that nobody answers',
    'sources',
    /^Nobody answers at the other end of program \(program0\)/,
    /Internet connection/,
    withStatus({
      sources: [...providingFacts.sources, { ...programSource, life: undefined }],
    }),
  ],
  [
    'a source that cannot be made',
    'sources',
    /^making program0: refused$/,
    /nft list tables/,
    withStatus({
      sources: [
        ...providingFacts.sources,
        {
          ...programSource,
          isThere: false,
          problem: { code: 'tunnel-failed', message: 'making program0: refused', since: now },
        },
      ],
    }),
  ],
  [
    'a device that another program took away',
    'sources',
    /the device program0 of program is gone/,
    /tributary status/,
    withStatus({
      sources: [...providingFacts.sources, { ...programSource, isThere: false, life: undefined }],
    }),
  ],
  [
    'answers that do not find their source',
    'sources',
    /answers to consumers of program are not routed to program0/,
    /ip monitor route/,
    withStatus({ sources: [...providingFacts.sources, programSource] }),
  ],
  [
    'a kernel that shapes nothing',
    'line',
    /drops packets above a limit/,
    /modprobe --all sch_htb ifb/,
    withStatus({ gateway: { ...providingFacts.gateway, lineHeldBy: 'policer' } }),
  ],
  [
    'a firewall that lets a test packet through',
    'self-test',
    /to the home network/,
    /nft list ruleset/,
    {
      selfTest: async () =>
        buildStatusDocument(
          createFacts({
            gateway: {
              selfTest: {
                lastHeldAt: undefined,
                failures: 1,
                failure: {
                  code: 'self-test-failed',
                  message: 'test packets to the home network passed',
                  since: ago(9),
                },
                note: undefined,
              },
            },
          }),
          now,
        ),
    },
  ],
  [
    'a public address that consumers reach',
    'outside',
    /45\.83\.100\.8 answers from inside on 443, and is not refused/,
    /systemctl restart/,
    { askOutside: async () => ({ answers: [], addresses: ['45.83.100.8'] }) },
  ],
  [
    'a table that is gone',
    'forwarding',
    /table tributary is gone/,
    /nft monitor/,
    {
      said: {
        'nft -j list table inet tributary': new TributaryError(
          'command-failed',
          'No such file or directory',
        ),
      },
    },
  ],
  [
    'a table that lets all through',
    'forwarding',
    /not as the agent/,
    /nft monitor/,
    { said: { 'nft -j list table inet tributary': openFence } },
  ],
  [
    'rules that are gone',
    'forwarding',
    /routing rules are gone/,
    /ip monitor/,
    { network: async () => ({ ...network, rules: [] }) },
  ],
];

describe('the doctor', () => {
  it('finds nothing wrong where nothing is', async () => {
    const results = await runChecks(checks, await createHost());
    expect(results.filter(({ finding }) => finding.verdict === 'fail')).toEqual([]);
    expect(results.map(({ id }) => id)).toEqual(checks.map(({ id }) => id));
  });

  it.each(faults)(
    'names %s, and nothing that follows from it',
    async (_, id, found, fix, changes) => {
      const results = await runChecks(checks, await createHost(changes));
      const failed = results.filter(({ finding }) => finding.verdict === 'fail');
      expect(failed.map((result) => result.id)).toEqual([id]);
      const [finding] = failed.map((result) => result.finding);
      expect(finding?.found).toMatch(found);
      expect(finding?.verdict === 'fail' ? finding.fix : '').toMatch(fix);
    },
  );

  it('can fail in each of its checks but the packet size, which pings really, and the delays, of which it warns', () => {
    const named = new Set(faults.map(([, id]) => id));
    expect(checks.map(({ id }) => id).filter((id) => !named.has(id))).toEqual(['mtu', 'delays']);
  });

  it.each([
    ['cpuset cpu io pids\n', /limits of memory do nothing here.* cgroup_enable=memory/],
    ['cpuset cpu io memory pids\n', /^((?!limits of memory).)*$/],
  ])('tells of a kernel that counts "%s" whether limits of memory hold', async (counted, said) => {
    const meminfo = 'MemAvailable: 900000 kB\nSwapFree: 100 kB\n';
    const files = { '/proc/meminfo': meminfo, '/sys/fs/cgroup/cgroup.controllers': counted };
    const results = await runChecks(checks, await createHost({ disk: createDisk(files) }));
    const { finding } = results.find(({ id }) => id === 'memory') ?? {};
    expect(finding).toMatchObject({ verdict: 'pass', found: expect.stringMatching(said) });
  });

  it.each([
    [
      'root',
      true,
      /^open for \d+ s more, and renewed meanwhile\. consumer-tunnel: no traffic .* setup/,
    ],
    ['an ordinary user', false, /^open to eth0, the agent says\. consumer-tunnel: /],
  ] as const)(
    'tells %s of a tunnel through which no consumer comes, and blames nothing',
    async (_, isRoot, found) => {
      const reason = {
        code: 'consumer-tunnel',
        message: 'x',
        action: 'y',
        since: now.toISOString(),
      };
      const status = async () => ({
        ...buildStatusDocument(providingFacts, now),
        reasons: [reason],
      });
      const results = await runChecks(
        checks,
        await createHost({ status, isNetworkAdmin: async () => isRoot }),
      );
      const finding = results.find(({ id }) => id === 'forwarding')?.finding;
      expect(finding).toEqual({ verdict: 'pass', found: expect.stringMatching(found) });
    },
  );

  it('blames a host for nothing before the agent was started there', async () => {
    const nobody = throwing(new TributaryError('host-namespace', 'not there yet'));
    const place = async () => ({ kind: 'host', hardware: 'eth0', inside: undefined }) as const;
    const status = throwing(new TributaryError('not-running', 'nobody'));
    const results = await runChecks(
      checks,
      await createHost({
        place,
        inside: nobody,
        network: nobody,
        networkHere: async () => network,
        status,
      }),
    );
    expect(results.filter(({ finding }) => finding.verdict === 'fail')).toEqual([]);
    expect(results.find(({ id }) => id === 'uplink')?.finding.verdict).toBe('pass');
  });

  it.each([
    [
      "the namespace of the agent's user",
      onHost({ '/run/tributary-userns/user': '' }),
      'pass',
      /^none: the namespace belongs to the agent's user/,
    ],
    ['a host without that user', behindFence(''), 'skip', /^the agent has no user of its/],
    [
      'a container as Docker runs it',
      { disk: createDisk({ '/proc/self/uid_map': '         0          0 4294967295\n' }) },
      'pass',
      /one over its host's \(docs\/security\.md\)/,
    ],
    [
      'a container whose users are its own',
      { disk: createDisk({ '/proc/self/uid_map': '         0     100000      65536\n' }) },
      'pass',
      /^none: this user namespace is not the host's/,
    ],
  ] as const)(
    'says what the right over the network is worth on the host: %s',
    async (_, changes, verdict, found) => {
      const results = await runChecks(checks, await createHost(changes));
      expect(results.find(({ id }) => id === 'host-rights')?.finding).toEqual({
        verdict,
        found: expect.stringMatching(found),
      });
    },
  );

  it.each([
    [
      /ping is not installed/,
      /apt install iputils-ping/,
      withHousehold({ pingProblem: 'missing' }),
    ],
    [
      /ping is not installed/,
      /apt install iputils-ping/,
      { ...withHousehold({ measuredTo: undefined }), said: { 'ping -V': missing('ping') } },
    ],
    [/ping may not be used/, /tributary logs/, withHousehold({ pingProblem: 'not-allowed' })],
  ])('warns of %s, and shares all the same', async (found, fix, changes) => {
    const results = await runChecks(checks, await createHost(changes));
    expect(results.find(({ id }) => id === 'delays')?.finding).toEqual({
      verdict: 'warn',
      found: expect.stringMatching(found),
      fix: expect.stringMatching(fix),
    });
  });

  it.each([
    [{ measuredTo: 'first-hop' }, 'pass', /by ping to a router beyond your own/],
    [{ measuredTo: 'tunnel-end' }, 'pass', /by ping to the other end of the tunnel/],
    [{ measuredTo: 'service', pingProblem: 'no-answer' }, 'pass', /nothing beyond your router/],
    [{ measuredTo: undefined }, 'pass', /by ping, as soon as something is shared/],
    [{ mode: 'off' }, 'skip', /provide.household is off/],
  ] as const)('says whom delays are measured to: %j', async (household, verdict, found) => {
    const results = await runChecks(checks, await createHost(withHousehold(household)));
    expect(results.find(({ id }) => id === 'delays')?.finding).toEqual({
      verdict,
      found: expect.stringMatching(found),
    });
  });

  it.each([
    ['one-tree', 'pass', /both directions as one/],
    ['two-trees', 'pass', /half of a limit/],
    [undefined, 'skip', /no limit was needed/],
  ] as const)('says how the line is held: %s', async (lineHeldBy, verdict, found) => {
    const results = await runChecks(
      checks,
      await createHost(withStatus({ gateway: { ...providingFacts.gateway, lineHeldBy } })),
    );
    expect(results.find(({ id }) => id === 'line')?.finding).toEqual({
      verdict,
      found: expect.stringMatching(found),
    });
  });

  it('asks an ordinary user to come again as root, and blames nothing', async () => {
    const results = await runChecks(
      checks,
      await createHost({ userId: 1000, isNetworkAdmin: async () => false }),
    );
    expect(results.filter(({ finding }) => finding.verdict === 'fail')).toEqual([]);
    expect(results.find(({ id }) => id === 'privileges')?.finding).toEqual({
      verdict: 'skip',
      found: expect.stringMatching(/sudo/),
    });
  });
});

test.each<readonly [string, Changes, 'pass' | 'skip', RegExp]>([
  ['all is well', {}, 'pass', /^wireguard on tributary0 is alive, and answers are routed to it$/],
  [
    'the agent has only just started',
    { status: async () => buildStatusDocument(freshFacts, now) },
    'skip',
    /^wireguard has no device yet: the agent is registering$/,
  ],
  [
    'an ordinary user asks',
    { isNetworkAdmin: async () => false, network: throwing(new TributaryError('not-allowed', '')) },
    'pass',
    /^wireguard on tributary0 is alive, the agent says$/,
  ],
  [
    'there is no uplink to which anything could be routed',
    {
      ...withStatus({ gateway: { ...providingFacts.gateway, uplink: undefined } }),
      network: async () => ({ ...network, routes: [], ways: [] }),
    },
    'pass',
    /^wireguard on tributary0 is alive/,
  ],
])('the sources, where %s', async (_claim, changes, verdict, found) => {
  const results = await runChecks(checks, await createHost(changes));
  expect(results.find(({ id }) => id === 'sources')?.finding).toEqual({
    verdict,
    found: expect.stringMatching(found),
  });
});

test.each<readonly [string, Changes, RegExp]>([
  [
    'something answers',
    {},
    /^45\.83\.100\.7 answers from inside on 443; it is refused to consumers$/,
  ],
  [
    'nothing answers',
    { tryConnection: async () => false },
    /nothing answers there from inside; it is refused/,
  ],
  [
    'an ordinary user asks',
    { isNetworkAdmin: async () => false, userId: 1000 },
    /the agent refuses it/,
  ],
  [
    'the device has it itself',
    {
      network: async () => ({
        ...network,
        interfaces: [
          { ...lan, addresses: [{ family: 4, address: '45.83.100.7', prefixLength: 24 }] },
          ownLink,
        ],
      }),
    },
    /^45\.83\.100\.7, this device's own$/,
  ],
])('the public address, where %s', async (_claim, changes, found) => {
  const results = await runChecks(checks, await createHost(changes));
  expect(results.find(({ id }) => id === 'outside')?.finding).toEqual({
    verdict: 'pass',
    found: expect.stringMatching(found),
  });
});

const silence = { askOutside: async () => ({ answers: ['10.0.0.5'], addresses: [] }) };
const withoutRouter = {
  ...silence,
  networkHere: async () => ({
    ...network,
    routes: network.routes.map((route) => ({ ...route, gateway: undefined })),
    ways: network.ways.map((way) => ({ ...way, gateway: undefined })),
  }),
};
const upnpCommand =
  /^Have your router asked .*: sudo tributary config set gateway\.public_address\.upnp true/;

test.each<readonly [string, Changes, object, RegExp]>([
  [
    'the router does not tell it',
    silence,
    {},
    /^your router \(192\.168\.1\.1\) does not tell your/,
  ],
  ['there is no router', withoutRouter, {}, /^the network does not tell your public address\. /],
  [
    'nobody may be asked for it',
    {},
    { public_address: { ask_router: false } },
    /^gateway\.public_address lets nobody be asked for your public address\. Consumers may reach/,
  ],
  [
    'an address is denied that may be any',
    silence,
    { deny_destinations: ['45.83.100.7'] },
    /^your router \(192\.168\.1\.1\) does not tell/,
  ],
])(
  'of the public address the doctor warns where %s, and fails for it nowhere',
  async (_, changes, gateway, found) => {
    const results = await runChecks(checks, await createGatewayHost(changes, gateway));
    expect(results.filter(({ finding }) => !/pass|skip/.test(finding.verdict))).toMatchObject([
      {
        id: 'outside',
        finding: {
          verdict: 'warn',
          found: expect.stringMatching(found),
          fix: expect.stringMatching(upnpCommand),
        },
      },
    ]);
  },
);

test.each([
  ['45.83.100.7', 'pass', /^45\.83\.100\.7 .* refused to consumers$/],
  ['45.83.100.8', 'fail', /^45\.83\.100\.8 .*, and is not refused to consumers$/],
] as const)(
  'a public address that the owner names is one like any other: %s',
  async (fixed, verdict, found) => {
    const host = await createGatewayHost(silence, { public_address: { fixed } });
    const results = await runChecks(checks, host);
    const { finding } = results.find(({ id }) => id === 'outside') ?? {};
    expect(finding).toMatchObject({ verdict, found: expect.stringMatching(found) });
  },
);

/** A host whose gateway is set like this. */
async function createGatewayHost(changes: Changes, given: object) {
  const host = await createHost(changes);
  const { config, ...loaded } = await host.configuration();
  const { gateway } = configSchema.parse({
    service: { base_url: 'https://service.example' },
    gateway: given,
  });
  return { ...host, configuration: async () => ({ ...loaded, config: { ...config, gateway } }) };
}

test.each([
  ['its address is on the Internet', {}, '45.83.9.9'],
  [
    'its private address is opened by name',
    { TRIBUTARY_GATEWAY_ALLOW_DESTINATIONS: '192.168.1.0/24' },
    '192.168.1.7',
  ],
  [
    'its private address is in its URL',
    { TRIBUTARY_SERVICE_BASE_URL: 'https://192.168.1.7' },
    '192.168.1.7',
  ],
])(
  'a service that the agent behind the fence reaches, where %s',
  async (_claim, environment, address) => {
    const host = await createHost({ ...behindFence(''), resolve: async () => address });
    const given = {
      TRIBUTARY_SERVICE_BASE_URL: 'https://service.example',
      TRIBUTARY_CONFIG: '',
      ...environment,
    };
    const loaded = await loadConfig({ environment: given, stateDirectory, userId: 0 });
    const results = await runChecks(checks, { ...host, configuration: async () => loaded });
    expect(results.find(({ id }) => id === 'service')?.finding.verdict).toBe('pass');
  },
);

test('without conntrack or perl all is well, and one line says what is lost', async () => {
  const look = async (said: Said) =>
    checks.find(({ id }) => id === 'nft')?.look(await createHost({ said }));
  expect(await look({})).toEqual({ verdict: 'pass', found: 'answers' });
  const found = expect.stringMatching(/^answers; without conntrack .* linger for up to an hour/);
  expect(await look({ conntrack: missing('conntrack') })).toEqual({ verdict: 'pass', found });
  const without = await look({ conntrack: missing('conntrack'), perl: missing('perl') });
  expect(without?.found).toMatch(/^answers; without conntrack .*; without perl .* much memory$/);
});

test.each([
  [
    'wireguard-go v0.0.20220316\n\nUserspace WireGuard daemon',
    /^wireguard-go 0\.0\.20220316: newer/,
  ],
  ['wireguard-go v0.0.20250522\n', /^wireguard-go 0\.0\.20250522$/],
  ['wireguard-go of my own', /^wireguard-go$/],
])('%j carries the tunnel', async (version, found) => {
  const host = await createHost({ said: { 'wireguard-go --version': version } });
  const finding = await checks.find(({ id }) => id === 'wireguard')?.look(host);
  expect(finding).toEqual({ verdict: 'pass', found: expect.stringMatching(found) });
});

test('a firewall that names the way through is in nobody’s way', async () => {
  const said = nft(closed, dockerUser, throughDocker);
  const results = await runChecks(checks, await createHost({ said }));
  expect(results.find(({ id }) => id === 'firewalls')?.finding.verdict).toBe('pass');
});

test.each([
  ['1480 gets through', 1480, 'pass', /1480/],
  ['1400 is the most', 1400, 'fail', /do not reach .*; 1400 bytes do$/],
  ['nothing is answered', 0, 'skip', /answers no pings/],
] as const)('the packet size, where %s', async (_, most, verdict, found) => {
  const healthy = createExec({});
  const exec: typeof healthy = async (command) => {
    const size = Number(command.args[command.args.indexOf('-s') + 1]) + 28;
    if (command.program === 'ping' && size > most)
      throw new TributaryError('command-failed', 'ping exited with 1');
    return healthy(command);
  };
  const results = await runChecks(checks, await createHost({ inside: async () => exec }));
  const finding = results.find(({ id }) => id === 'mtu')?.finding;
  expect(finding?.verdict).toBe(verdict);
  expect(finding?.found).toMatch(found);
});

test('a broker on this machine itself is a warning where the agent has a network of its own', async () => {
  const environment = {
    TRIBUTARY_SERVICE_BASE_URL: 'https://service.example',
    TRIBUTARY_REPORT_MQTT_URL: 'mqtt://127.0.0.1:1883',
    TRIBUTARY_CONFIG: '',
  };
  const configuration = () => loadConfig({ environment, userId: 0 });
  const find = async (changes: Changes) =>
    (await lookAtConfiguration(await createHost({ configuration, ...changes }))).found;
  expect(await find(behindFence(''))).toContain('; 1 warning: tributary config check');
  expect(await find({})).not.toContain('warning');
});
