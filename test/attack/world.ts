import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exec } from '../../src/system/exec.ts';
import type { Lab } from '../../tools/lab/lab.ts';
import { addresses, deviceUplink, type HostName, labInternet } from '../../tools/lab/network.ts';
import { type LabProcess, startProcess } from '../../tools/lab/processes.ts';
import {
  type NastyService,
  nastyUrl,
  startNastyService,
} from '../net/support/start-nasty-service.ts';
import { createTestLab } from '../net/support/test-lab.ts';
import { makeDualStack } from './dual-stack.ts';
import { attackAddresses } from './packet-data.ts';
import { type PacketProcess, startPacketProcess } from './packet-process.ts';
import { homeServers } from './rows/late-answers.ts';
import { deniedDestinations } from './rows/own-outside.ts';
import { blockedPorts } from './rows/port-ranges.ts';
import { makeSecondNetwork, secondCard, secondNetwork } from './second-network.ts';
import { wayIn, withoutRights } from './way-in.ts';

/**
 * The two ways of running: a namespace that is the agent's already, as a container's, or one made
 * on a host.
 */
export const ways = ['container', 'host'] as const;
export type Way = (typeof ways)[number];

/**
 * Where packets are heard. `router`: all that leaves the device for its own network; `device`,
 * `host`: local sockets; `service`: one UDP service of the machine; `second`: another network of
 * the host or the container; `card`: what the router hands to the device, before any rule there.
 */
export type Point =
  | 'nas'
  | 'router'
  | 'internet'
  | 'device'
  | 'host'
  | 'service'
  | 'tunnel'
  | 'second'
  | 'card';

/**
 * Whose consumers attack: the tunnel's, the consumers of a program that runs beside it, or those by
 * the network's own protocol.
 */
export const attackSources = ['wireguard', 'program', 'connect'] as const;
export type AttackSource = (typeof attackSources)[number];

export interface AttackWorld {
  readonly way: Way;
  readonly from: AttackSource;
  /** Counters are read after each row, which takes longer; otherwise once for all of them. */
  readonly countsEachRow: boolean;
  readonly lab: Lab;
  readonly packets: PacketProcess;
  readonly service: NastyService;
  /** The device by which the attacking consumers' packets come. */
  readonly attackedDevice: string;
  /**
   * By the network's own protocol the device gives each consumer an address: by the consumer's own,
   * for those that were seen.
   */
  readonly outerOf: Map<string, string>;
  /** Namespace in which the agent works, and where its tables are. */
  readonly agentNetns: string;
  /** Runs a program in the agent's namespace to its end: its output. @throws where it fails */
  inside(...command: readonly string[]): Promise<string>;
  onHost(...command: readonly string[]): Promise<string>;
  startAgent(): LabProcess;
  agent(): LabProcess;
  remove(): Promise<void>;
}

/** Of the machine that the agent runs on; a consumer may choose it as source. */
const servicePort = 5353;
const wireGuardPort = 51_999;
/** The namespace has this name on every host. */
const namespaceName = 'tributary';

/**
 * A lab with two address families, whose tunnel ends at an end of ours that sends anything at all.
 */
export async function createAttackWorld(
  way: Way,
  {
    countsEachRow,
    from = 'wireguard',
  }: Pick<AttackWorld, 'countsEachRow'> & { readonly from?: AttackSource },
): Promise<AttackWorld> {
  const id = toLabId(way, from);
  const source = from === 'connect' ? 'connect' : 'wireguard';
  const consumerEnd = from === 'wireguard' ? `end-${id}` : feed;
  const ends = from === 'connect' ? [feed] : [...new Set([consumerEnd, `end-${id}`])];
  const config = from === 'connect' ? listConnectSections(way) : listSections(way);
  const lab = await createTestLab({ id, profile: 'documented', source, config });
  const packets = await startPacketProcess();
  const agents: LabProcess[] = [];
  let service: NastyService | undefined;
  let hostile: LabProcess | undefined;
  const agentNetns = way === 'host' ? namespaceName : lab.network.netns('device');
  const onHost = (...command: readonly string[]) => runIn(lab.network.netns('device'), command);
  const remove = async () => {
    for (const agent of agents) {
      // One that was held still would not hear the end.
      agent.kill('SIGCONT');
      agent.kill('SIGTERM');
      await agent.exited;
    }
    if (way === 'host')
      await onHost(...lab.command('namespace', 'down').slice(4)).catch(() => undefined);
    hostile?.kill('SIGKILL');
    await Promise.all([packets.stop(), service?.stop(), endFeed(lab), hostile?.exited]);
    await lab.remove();
  };
  try {
    await makeDualStack(lab);
    await makeSecondNetwork(lab);
    service = await startNastyService(lab);
    if (from === 'connect') hostile = await startHostileConsumers(lab);
    else await makeTunnelEnd(lab, id, service);
    if (from === 'program') await makeFeed(lab);
    await openListeningServices(packets, lab.network.netns('device'));
    if (way === 'host') await onHost(...lab.command('namespace', 'up').slice(4));
    await packets.open({
      points: listPoints(lab, way, ends).map((point) => withCarrier(point, lab, from)),
      ways: await listWays(lab, consumerEnd, agentNetns),
    });
    return {
      way,
      from,
      countsEachRow,
      lab,
      packets,
      service,
      attackedDevice: { wireguard: `trib-${id}`, program: program.device, connect: `tribc-${id}` }[
        from
      ],
      outerOf: new Map(),
      agentNetns,
      onHost,
      inside: (...command) => runIn(agentNetns, command),
      startAgent() {
        const started =
          way === 'host'
            ? startInNamespace(lab)
            : lab.startAgent({}, from === 'program' ? listProgramRun(lab) : undefined);
        agents.push(started);
        return started;
      },
      agent() {
        const agent = agents.at(-1);
        if (agent === undefined) throw new Error('no agent was started');
        return agent;
      },
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

function toLabId(way: Way, from: AttackSource): string {
  if (from === 'wireguard') return way === 'host' ? 'atkhst' : 'atkcon';
  if (from === 'program') return 'atkprg';
  return way === 'host' ? 'atkcch' : 'atkcct';
}

function listSections(way: Way): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  // The host's side of the fence knows nothing of the lab's service either.
  const allowed = way === 'host' ? [labInternet, '198.51.100.2'] : [labInternet];
  return {
    service: { base_url: nastyUrl, profile: 'documented', allow_insecure_http: true },
    // What is tried from the first packet on is tried closed; scenarios open it.
    provide: { mode: 'none' },
    gateway: {
      allow_destinations: allowed,
      deny_destinations: deniedDestinations,
      blocked_ports: blockedPorts,
      other_protocols: ['gre'],
      permit_seconds: 5,
    },
  };
}

/**
 * The pool is where the rows take consumers to be. Strict rules would hold by themselves; they have
 * a scenario of their own.
 */
function listConnectSections(way: Way): ReturnType<typeof listSections> {
  const { service: _, gateway, ...rest } = listSections(way);
  return { ...rest, gateway: { ...gateway, strict_rules: 'never' }, connect: pool };
}

/** Before the fence is made, because it leaves out ports at which something listens. */
function openListeningServices(packets: PacketProcess, netns: string): Promise<void> {
  return packets.open({
    points: homeServers.map((port) => ({ name: 'service', netns, port })),
    ways: [],
  });
}

/** Without `ip netns exec`, which hides the names of namespaces. */
function runIn(netns: string, [program = 'true', ...args]: readonly string[]): Promise<string> {
  return exec({
    program: 'nsenter',
    args: [`--net=/run/netns/${netns}`, program, ...args],
    doing: `in ${netns}: ${program} ${args.join(' ')}`,
  });
}

function startInNamespace(lab: Lab): LabProcess {
  const inside = [
    'nsenter',
    `--net=/run/netns/${lab.network.netns('device')}`,
    'ip',
    'netns',
    'exec',
    namespaceName,
    // As the unit starts it.
    ...withoutRights,
    ...wayIn,
  ];
  return startProcess({
    argv: [...inside, ...lab.command('run').slice(4)] as [string, ...string[]],
    env: { TRIBUTARY_AUTH_CODE: lab.authCode, RUNTIME_DIRECTORY: lab.stateDirectory },
  });
}

/** Both sources' ends are heard, because what comes back unasked goes to either. */
function listPoints(lab: Lab, way: Way, ends: readonly string[]) {
  const point = (name: Point, host: HostName, device?: string) => ({
    name,
    netns: lab.network.netns(host),
    ...(device === undefined ? {} : { interface: device }),
  });
  return [
    point('nas', 'nas', 'lan0'),
    point('router', 'home', 'port2'),
    point('internet', 'internet', 'to-home'),
    ...ends.map((end) => point('tunnel', 'proxy', end)),
    { ...point('service', 'device'), port: servicePort },
    point('second', 'nas', secondNetwork),
    point('card', 'device', deviceUplink),
    ...(way === 'host'
      ? [point('host', 'device'), { name: 'device', netns: namespaceName }]
      : [point('device', 'device')]),
  ];
}

/** The platform's own messages to the device hold consumers' packets, and are none of them. */
function withCarrier(
  point: ReturnType<typeof listPoints>[number],
  lab: Lab,
  from: AttackSource,
): ReturnType<typeof listPoints>[number] & {
  readonly carrier?: { address: string; port: number };
} {
  if (from !== 'connect' || point.name !== 'device') return point;
  const { hostname, port } = new URL(lab.baseUrl);
  return { ...point, carrier: { address: hostname, port: Number(port) } };
}

async function listWays(lab: Lab, consumerEnd: string, agentNetns: string) {
  const readMac = async (host: HostName, device: string) =>
    (await lab.network.run(host, 'cat', `/sys/class/net/${device}/address`)).trim();
  const [uplink, wan, second] = await Promise.all([
    readMac('device', deviceUplink),
    readMac('home', 'wan0'),
    readMac('device', secondCard),
  ]);
  return [
    { name: 'tunnel', netns: lab.network.netns('proxy'), interface: consumerEnd },
    { name: 'lan', netns: lab.network.netns('nas'), interface: 'lan0', to: uplink },
    { name: 'uplink', netns: lab.network.netns('home'), interface: 'lan0', to: uplink },
    { name: 'internet', netns: lab.network.netns('internet'), interface: 'to-home', to: wan },
    { name: 'second', netns: lab.network.netns('nas'), interface: secondNetwork, to: second },
    { name: 'device', netns: agentNetns },
  ];
}

/** Where the program, or the hostile consumers, take packets from. */
const feed = 'feed0';
const program = {
  device: 'program0',
  addresses: ['10.99.0.1', 'fd99::1'],
  consumers: ['10.99.0.0/24', 'fd99::/64'],
} as const;

/**
 * Feeds the device on when the agent is killed, and until the next agent starts the next one, so
 * that attacks go on meanwhile: $0 is the file with its process, $1 a pipe that nobody closes.
 */
const outlive = `
  exec 3<>"$1"
  old=$(cat "$0" 2>/dev/null) && kill "$old" 2>/dev/null
  for wait in 1 2 3 4 5; do [ -e /proc/\${old:-none}/exe ] && sleep 0.1; done
  echo $$ >"$0"
  shift
  exec /usr/bin/python3 "$@" <&3 2>/dev/null
`;
const feedFile = (lab: Lab) => join(lab.directory, 'feed.pid');

/** A feed that has outlived the last agent ends. */
async function endFeed(lab: Lab): Promise<void> {
  const pid = Number(await readFile(feedFile(lab), 'utf8').catch(() => '0'));
  if (pid === 0) return;
  try {
    process.kill(pid);
  } catch {
    // It has ended with its device.
  }
}

async function makeFeed(lab: Lab): Promise<void> {
  await exec({ program: 'mkfifo', args: [join(lab.directory, 'feed.pipe')], doing: 'a pipe' });

  await lab.network.run('proxy', 'ip', 'tuntap', 'add', 'dev', feed, 'mode', 'tun');
  await lab.network.run('proxy', 'ip', 'link', 'set', feed, 'up');
}

const pool = { pool_ipv4: '10.99.0.0/24', pool_ipv6: 'fd99::/112' };

/** In place of the lab's own consumer, whose clients they are. */
async function startHostileConsumers(lab: Lab): Promise<LabProcess> {
  await lab.consumer?.stop();
  for (const command of [
    `tuntap add dev ${feed} mode tun vnet_hdr`,
    `link set ${feed} addrgenmode none`,
    `link set ${feed} up`,
  ])
    await lab.network.run('proxy', 'ip', ...command.split(' '));
  const program = join(import.meta.dirname, 'hostile-consumers.ts');
  const data = join(lab.directory, 'service');
  const argv = lab.network.on('proxy', process.execPath, program, data, lab.baseUrl, feed);
  return startProcess({ argv });
}

/** The agent with a program that feeds a TUN device beside the tunnel. */
function listProgramRun(lab: Lab): readonly [string, ...string[]] {
  const folder = join(import.meta.dirname, '../net/support/program-source');
  const netns = lab.network.netns('proxy');
  const feeding = [join(folder, 'feed.py'), '-', program.device, netns, feed];
  const pipe = join(lab.directory, 'feed.pipe');
  const command = ['/bin/sh', '-c', outlive, feedFile(lab), pipe, ...feeding];
  return lab.network.on(
    'device',
    process.execPath,
    join(folder, 'run-with-program.ts'),
    join(lab.directory, 'tributary.yaml'),
    lab.stateDirectory,
    JSON.stringify({ ...program, command }),
  );
}

/**
 * The tunnel's other end, whose packets we write: the service hands out its key and the address of
 * both families.
 */
async function makeTunnelEnd(lab: Lab, id: string, service: NastyService): Promise<void> {
  const name = `end-${id}`;
  const makeKeys = async () => {
    const privateKey = (await lab.network.run('proxy', 'wg', 'genkey')).trim();
    const args = ['netns', 'exec', lab.network.netns('proxy'), 'wg', 'pubkey'];
    const publicKey = (
      await exec({ program: 'ip', args, input: privateKey, doing: 'making a key' })
    ).trim();
    return { privateKey, publicKey };
  };
  const [end, device] = [await makeKeys(), await makeKeys()];
  const keyFile = join(lab.directory, 'end.key');
  await writeFile(keyFile, end.privateKey, { mode: 0o600 });
  await lab.network.run(
    'proxy',
    'sh',
    '-c',
    `ip link add ${name} type wireguard 2>/dev/null || wireguard-go ${name}`,
  );
  const peer = ['peer', device.publicKey, 'allowed-ips', '0.0.0.0/0,::/0'];
  await lab.network.run(
    'proxy',
    'wg',
    'set',
    name,
    'private-key',
    keyFile,
    'listen-port',
    `${wireGuardPort}`,
    ...peer,
  );
  await lab.network.run('proxy', 'ip', 'link', 'set', name, 'up');
  await service.behave({
    beside: {
      client_private_key: device.privateKey,
      client_public_key: device.publicKey,
      proxy_public_key: end.publicKey,
      wg_proxy_port: wireGuardPort,
    },
    wireGuardText: [
      '[Interface]',
      `PrivateKey = ${device.privateKey}`,
      `Address = {ADDRESS}/32, ${attackAddresses.tunnel6}/128`,
      '',
      '[Peer]',
      `PublicKey = ${end.publicKey}`,
      `Endpoint = ${addresses.proxy}:${wireGuardPort}`,
      'AllowedIPs = 0.0.0.0/0, ::/0',
      '',
    ].join('\n'),
  });
}
