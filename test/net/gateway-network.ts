import { randomBytes } from 'node:crypto';
import type { SourceDevice } from '../../src/gateway/devices.ts';
import { chooseJudgement } from '../../src/gateway/judged.ts';
import {
  type ForwardedTotals,
  type GatewayPolicy,
  type LinePolicy,
  tableName,
} from '../../src/gateway/policy.ts';
import { composeRouting, planRouting } from '../../src/gateway/routes.ts';
import { continueCounts, renderRuleset, toRuleset } from '../../src/gateway/ruleset.ts';
import { listSysctls } from '../../src/gateway/sysctls.ts';
import {
  chooseUplink,
  listAddresses,
  listHomePrefixes,
  listOwnPrefixes,
} from '../../src/gateway/uplink.ts';
import { chooseConsumerPorts } from '../../src/lib/ports.ts';
import { type Exec, exec } from '../../src/system/exec.ts';
import {
  applyIpCommands,
  observeInterfaces,
  observeRoutes,
  observeRules,
} from '../../src/system/ip.ts';
import { applyNft, type NftTable, observeNftTable } from '../../src/system/nft.ts';
import { observeWays } from '../../src/system/ways.ts';
import { startTalker, type Talker } from './talk.ts';

/**
 * The tunnel's name on the device: here it is one end of a plain wire, the consumer has the other.
 */
export const tunnelInterface = 'tributary0';
/** As the gateway sees it once it is made. */
export const tunnelDevice: SourceDevice = {
  name: tunnelInterface,
  isThere: true,
  mtu: 1420,
  consumers: undefined,
  isStrict: false,
  endpoint: undefined,
};
export const consumerAddress = '10.99.0.2';
export const otherConsumer = '10.99.0.3';

/**
 * Addresses of the side that plays everything else: some are public, the rest must be out of reach.
 */
export const far = {
  public4: '192.0.2.10',
  publicAnycast4: '9.9.9.9',
  public6: '2001:db8:1::10',
  publicReal6: '2606:4700::1111',
  lan: '192.168.77.20',
  own6: '2a00:77:77::20',
  /**
   * Another network of the home, and the router's own address towards the Internet: nothing of them
   * is on the device.
   */
  home6: ['2a00:77:77:5::20', '2a00:77:77:ffff::1'],
  private: [
    '10.1.2.3',
    '172.16.0.5',
    '192.168.200.5',
    '100.64.0.9',
    '169.254.169.254',
    '198.18.0.1',
    '203.0.113.5',
  ],
  private6: ['fd00:5::5', '2001:db8:2::5', '64:ff9b::808:808', '2002:a01:203::1'],
} as const;

/** Consumer, device and everything else, each a namespace:  consumer — device — far. */
export interface GatewayNetwork {
  readonly consumer: Talker;
  readonly far: Talker;
  readonly device: Talker;
  readonly onDevice: Exec;
  /** Namespaces, for what else is to be started in them. */
  readonly netns: { readonly consumer: string; readonly device: string; readonly far: string };
  readonly onConsumer: Exec;
  readonly onFar: Exec;
  /**
   * Brings the device's gateway to this policy as the agent does; what is read live is read live.
   */
  apply(changes?: Partial<GatewayPolicy>): Promise<GatewayPolicy>;
  table(): Promise<NftTable>;
  /** What both ends of the open connection take the largest segment to be, in bytes. */
  segmentSizes(): Promise<readonly number[]>;
  remove(): Promise<void>;
}

/** A line without a limit; nothing is shaped, for no tree is there. */
export const plainLine: LinePolicy = {
  classOf: 'consumer',
  dropAboveBits: undefined,
  floodBits: undefined,
  isLowPriority: true,
};

const noTotals: ForwardedTotals = { up: { packets: 0, bytes: 0 }, down: { packets: 0, bytes: 0 } };
export const macs = { tunnel: '02:00:00:00:00:01', consumer: '02:00:00:00:00:02' };

export async function createGatewayNetwork(): Promise<GatewayNetwork> {
  const id = `gate-${randomBytes(3).toString('hex')}`;
  const [consumer, device, farSide] = [`${id}-consumer`, `${id}-device`, `${id}-far`];
  const on =
    (netns: string): Exec =>
    ({ program, args, ...rest }) =>
      exec({ ...rest, program: 'ip', args: ['netns', 'exec', netns, program, ...args] });
  const batch = (lines: readonly string[], netns?: string) =>
    exec({
      program: 'ip',
      args: [...(netns === undefined ? [] : ['-netns', netns]), '-batch', '-'],
      input: `${lines.join('\n')}\n`,
      doing: 'wiring',
    });
  await batch([
    ...[consumer, device, farSide].map((netns) => `netns add ${netns}`),
    `link add ${tunnelInterface} address ${macs.tunnel} netns ${device} type veth peer name eth0 address ${macs.consumer} netns ${consumer}`,
    `link add uplink0 netns ${device} type veth peer name wire0 netns ${farSide}`,
  ]);
  const quick = (netns: string) =>
    on(netns)({ program: 'sh', args: ['-c', quickStart], doing: 'setting up' });
  await Promise.all([consumer, device, farSide].map(quick));
  await Promise.all([
    batch(consumerLines, consumer),
    batch(deviceLines, device),
    batch(farLines, farSide),
  ]);
  const talkers = {
    consumer: startTalker(consumer),
    device: startTalker(device),
    far: startTalker(farSide),
  };
  const onDevice = on(device);
  const table = async () => {
    const found = await observeNftTable(onDevice, tableName);
    if (found === undefined) throw new Error('the device has no table');
    return found;
  };
  return {
    ...talkers,
    onDevice,
    netns: { consumer, device, far: farSide },
    onConsumer: on(consumer),
    onFar: on(farSide),
    table,
    segmentSizes: async () => {
      const ends = await Promise.all(
        [consumer, farSide].map((netns) =>
          on(netns)({
            program: 'ss',
            args: ['-tinH', 'state', 'established'],
            doing: 'reading connections',
          }),
        ),
      );
      return ends.flatMap((text) =>
        [...text.matchAll(/\bmss:(\d+)/g)].map((match) => Number(match[1])),
      );
    },
    apply: (changes = {}) => applyGateway(onDevice, changes),
    async remove() {
      await Promise.all([talkers.consumer.stop(), talkers.device.stop(), talkers.far.stop()]);
      await batch([consumer, device, farSide].map((netns) => `netns delete ${netns}`));
    },
  };
}

async function applyGateway(
  onDevice: Exec,
  changes: Partial<GatewayPolicy>,
): Promise<GatewayPolicy> {
  const before = await observeNftTable(onDevice, tableName);
  const interfaces = await observeInterfaces(onDevice);
  const routes = [...(await observeRoutes(onDevice, 4)), ...(await observeRoutes(onDevice, 6))];
  const ways = [...(await observeWays(onDevice, 4)), ...(await observeWays(onDevice, 6))];
  const rules = [...(await observeRules(onDevice, 4)), ...(await observeRules(onDevice, 6))];
  const policy: GatewayPolicy = {
    devices: [{ ...tunnelDevice, isThere: interfaces.some((own) => own.name === tunnelInterface) }],
    uplink: chooseUplink({ routes, ways, interfaces }, { devices: [tunnelInterface] }),
    uplinkAddresses: listAddresses(interfaces, 'uplink0'),
    pagePort: undefined,
    consumerPorts: chooseConsumerPorts(undefined),
    openProtocols: ['gre', 'sctp'],
    tunnelEnds: [],
    ownPrefixes: [
      ...listOwnPrefixes(interfaces, [tunnelInterface]),
      ...listHomePrefixes(interfaces, [tunnelInterface]),
    ],
    allowDestinations: ['192.0.2.0/24', '2001:db8:1::/48'],
    denyDestinations: [],
    blockedPorts: [25],
    connections: { perConsumer: 4000, total: 8192, newPerSecond: 1000, halfOpen: 1000 },
    line: plainLine,
    remainingBytes: undefined,
    remainingNewBytes: undefined,
    probes: [],
    ...changes,
  };
  await applyNft(
    onDevice,
    renderRuleset(
      { ...continueCounts(toRuleset(policy), before), judgement: chooseJudgement() },
      noTotals,
    ),
    'installing the gateway',
  );
  for (const { path, value } of listSysctls(policy, { hasIpv6: true })) {
    const args = ['-c', 'echo "$1" >"/proc/sys/$0"', path, value];
    await onDevice({ program: 'sh', args, doing: `setting ${path}` });
  }
  await applyIpCommands(
    onDevice,
    planRouting(composeRouting(policy, [{ name: tunnelInterface, families: [4, 6] }]), {
      families: [4, 6],
      rules,
      routes,
    }),
    'setting the routes',
  );
  return policy;
}

/** No waiting for addresses to be found unique, and no addresses that nobody asked for. */
const quickStart = [
  'ip link set lo up',
  'for folder in /proc/sys/net/ipv6/conf/*; do echo 0 >$folder/accept_dad; echo 1 >$folder/addr_gen_mode; echo 0 >$folder/router_solicitations; done',
].join('\n');

// The neighbours are written down: the fence answers nobody who asks.
const consumerLines = [
  `address add ${consumerAddress}/24 dev eth0`,
  `address add ${otherConsumer}/24 dev eth0`,
  'address add fd99::2/64 dev eth0',
  'address add fd99::3/64 dev eth0',
  'address add fd98::2/64 dev eth0',
  'address add fe80::2/64 dev eth0',
  'link set eth0 mtu 1500 up',
  ...['10.99.0.1', 'fd99::1', 'fe80::1', 'fe80::77'].map(
    (address) => `neighbour replace ${address} lladdr ${macs.tunnel} nud permanent dev eth0`,
  ),
  'route add default via 10.99.0.1',
  'route add default via fd99::1',
];

const deviceLines = [
  `address add 10.99.0.1/32 dev ${tunnelInterface} noprefixroute`,
  `address add fd99::1/128 dev ${tunnelInterface} noprefixroute`,
  `link set ${tunnelInterface} up`,
  ...[consumerAddress, otherConsumer, 'fd99::2', 'fd99::3', 'fd98::2'].map(
    (address) =>
      `neighbour replace ${address} lladdr ${macs.consumer} nud permanent dev ${tunnelInterface}`,
  ),
  'address add 192.168.77.10/24 dev uplink0',
  'address add 2a00:77:77::10/64 dev uplink0',
  'link set uplink0 up',
  'route add default via 192.168.77.1',
  'route add default via 2a00:77:77::1',
];

const farLines = [
  'address add 192.168.77.1/24 dev wire0',
  'address add 2a00:77:77::1/64 dev wire0',
  'address add fe80::77/64 dev wire0',
  'link set wire0 up',
  `address add ${far.lan}/24 dev wire0`,
  `address add ${far.own6}/64 dev wire0`,
  ...[far.public4, far.publicAnycast4, ...far.private].map(
    (address) => `address add ${address}/32 dev lo`,
  ),
  ...[far.public6, far.publicReal6, ...far.home6, ...far.private6].map(
    (address) => `address add ${address}/128 dev lo`,
  ),
  // A way back to consumers that were not translated: what gets through is heard and answered.
  'route add 10.99.0.0/24 via 192.168.77.10',
  'route add fd99::/64 via 2a00:77:77::10',
];
