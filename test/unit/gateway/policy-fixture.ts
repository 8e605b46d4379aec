import * as fc from 'fast-check';
import { expandPresets } from '../../../src/config/port-presets.ts';
import type { SourceDevice } from '../../../src/gateway/devices.ts';
import type { ForwardedTotals, GatewayPolicy, LinePolicy } from '../../../src/gateway/policy.ts';
import type { CarryingDevice } from '../../../src/gateway/routes.ts';
import type { Probe } from '../../../src/gateway/self-test.ts';
import { furtherProtocols } from '../../../src/lib/protocols.ts';
import { arbitraryPrefix, toPrefixText } from '../lib/prefix-model.ts';

/** A line without a limit that yields to the household. */
const homeLine: LinePolicy = {
  classOf: 'consumer',
  dropAboveBits: undefined,
  floodBits: undefined,
  isLowPriority: true,
};

/** The one device that a home with a tunnel has. */
export const homeDevice: SourceDevice = {
  name: 'tributary0',
  isThere: true,
  mtu: 1420,
  consumers: undefined,
  isStrict: false,
  endpoint: undefined,
};

/** The policy with its one device changed. */
function changeDevice(policy: GatewayPolicy, change: Partial<SourceDevice>): GatewayPolicy {
  return { ...policy, devices: policy.devices.map((device) => ({ ...device, ...change })) };
}

/** What the home's tunnel carries. */
export function carryHome(hasIpv6: boolean): readonly CarryingDevice[] {
  return [{ name: homeDevice.name, families: hasIpv6 ? [4, 6] : [4] }];
}

/** A home device as it usually is. */
export const homePolicy: GatewayPolicy = {
  devices: [homeDevice],
  uplink: 'eth0',
  uplinkAddresses: ['192.168.1.10'],
  pagePort: undefined,
  consumerPorts: [{ first: 16_384, last: 32_767 }],
  openProtocols: [],
  tunnelEnds: [],
  ownPrefixes: ['192.168.1.0/24'],
  allowDestinations: [],
  denyDestinations: [],
  blockedPorts: [25],
  connections: { perConsumer: 512, total: 8192, newPerSecond: 64, halfOpen: 256 },
  line: homeLine,
  remainingBytes: undefined,
  remainingNewBytes: undefined,
  probes: [],
};

/** Where a program of the home's listens among the ports of consumers. */
const severalRanges = [
  { first: 16_384, last: 21_999 },
  { first: 22_001, last: 32_767 },
];

/** A source beside it, whose consumers have prefixes of their own. */
export const programDevice: SourceDevice = {
  name: 'program0',
  isThere: true,
  mtu: 1400,
  consumers: ['10.77.0.0/24', 'fd77::/64'],
  isStrict: false,
  endpoint: undefined,
};

const onHome = { device: homeDevice.name, slot: 0 } as const;

/** What such a device tries its fence with. */
export const homeProbes: readonly Probe[] = [
  {
    ...onHome,
    family: 4,
    name: 'this device',
    source: '10.93.171.5',
    destination: '192.168.1.10',
    port: 443,
  },
  {
    ...onHome,
    family: 4,
    name: 'a blocked port',
    source: '10.93.171.5',
    destination: '1.1.1.1',
    port: 25,
  },
  {
    ...onHome,
    family: 4,
    name: 'the Internet',
    source: '10.93.171.5',
    destination: '1.1.1.1',
    port: 443,
  },
  {
    ...onHome,
    family: 6,
    name: 'the home network',
    source: 'fd74:7269:6275::5',
    destination: '2a00:1450:4001::1',
    port: 443,
  },
];

/** What the second source's fence is tried with. */
const programProbes: readonly Probe[] = [
  {
    device: programDevice.name,
    slot: 1,
    family: 4,
    name: 'the Internet',
    source: '10.77.0.5',
    destination: '1.1.1.1',
    port: 443,
  },
];

export const noTotals: ForwardedTotals = {
  up: { packets: 0, bytes: 0 },
  down: { packets: 0, bytes: 0 },
};

/** The policies that are reviewed as text. */
export const reviewedPolicies: Readonly<Record<string, GatewayPolicy>> = {
  plain: homePolicy,
  'self-test': { ...homePolicy, probes: homeProbes },
  endpoint: changeDevice(homePolicy, {
    endpoint: { protocol: 'ip', address: '198.51.100.1', port: 51_820 },
  }),
  'endpoint-ipv6': changeDevice(homePolicy, {
    endpoint: { protocol: 'ip6', address: '2001:db8::1', port: 51_820 },
  }),
  'two-sources': {
    ...homePolicy,
    devices: [homeDevice, programDevice],
    probes: [...homeProbes, ...programProbes],
  },
  // Strangers come by the second source alone.
  'strict-beside': {
    ...homePolicy,
    devices: [homeDevice, { ...programDevice, isStrict: true }],
    allowDestinations: ['192.168.1.5'],
  },
  strict: changeDevice(homePolicy, { isStrict: true }),
  'two-sources-one-there': {
    ...homePolicy,
    devices: [homeDevice, { ...programDevice, isThere: false }],
  },
  'no-uplink': { ...homePolicy, uplink: undefined, uplinkAddresses: [] },
  'several-addresses': { ...homePolicy, uplinkAddresses: ['192.168.1.10', '192.168.1.11'] },
  'own-tunnels': {
    ...homePolicy,
    consumerPorts: severalRanges,
    openProtocols: ['gre', 'sctp'],
    tunnelEnds: ['198.51.100.9', '2001:db8::9'],
  },
  'no-tunnel': changeDevice(homePolicy, { isThere: false }),
  'page-for-others': {
    ...homePolicy,
    pagePort: 9469,
    consumerPorts: [],
  },
  capped: { ...homePolicy, remainingBytes: 5_000_000_000, remainingNewBytes: 4_900_000_000 },
  'rate-limited': { ...homePolicy, line: { ...homeLine, classOf: 'connection', floodBits: 10e6 } },
  policed: {
    ...homePolicy,
    line: { ...homeLine, classOf: undefined, dropAboveBits: 20e6, floodBits: 10e6 },
  },
  'no-shaping': { ...homePolicy, line: { ...homeLine, classOf: undefined, isLowPriority: false } },
  'own-ipv6': {
    ...homePolicy,
    ownPrefixes: ['192.168.1.0/24', '2a00:1450:4001::/64', 'fe80::/64', '192.168.0.0/16'],
  },
  'allowed-destinations': {
    ...homePolicy,
    allowDestinations: ['192.0.2.0/24', '2001:db8::/32', '192.168.1.5'],
  },
  'port-ranges': {
    ...homePolicy,
    blockedPorts: [
      25,
      '6881-6889',
      '6885-6999',
      7000,
      'udp/1900',
      'tcp/6660-6669',
      'tcp/1-5',
      'udp/65535',
    ],
  },
  'no-ceilings': {
    ...homePolicy,
    connections: { perConsumer: 0, total: 0, newPerSecond: 0, halfOpen: 0 },
  },
  'web-only': { ...homePolicy, blockedPorts: expandPresets(['web-only']) },
  'many-ports': { ...homePolicy, blockedPorts: [25, 465, 587, 25, 6667, 1, 65_535] },
};

const prefixes = fc.array(arbitraryPrefix.map(toPrefixText), { maxLength: 12 });
const rate = fc.option(fc.integer({ min: 64_000, max: 100_000_000_000 }), { nil: undefined });

const port = fc.integer({ min: 1, max: 65_535 });
const arbitraryRange = fc
  .tuple(fc.constantFrom('', 'tcp/', 'udp/'), port, port)
  .map(([protocol, one, other]) => `${protocol}${Math.min(one, other)}-${Math.max(one, other)}`);

const remaining = fc.option(fc.oneof(fc.maxSafeInteger(), fc.constantFrom(0, 1, -1)), {
  nil: undefined,
});
const ceiling = fc.oneof(
  fc.integer({ min: 0, max: 1_000_000 }),
  fc.constantFrom(0, 1, 127, 128, 129),
);

function arbitraryDevice(name: fc.Arbitrary<string>): fc.Arbitrary<SourceDevice> {
  return fc.record({
    name,
    // An entrance needs its device: test/net/strange-packets.test.ts has one.
    isThere: fc.constant(false),
    mtu: fc.integer({ min: 1280, max: 1500 }),
    isStrict: fc.boolean(),
    consumers: fc.constantFrom(undefined, ['10.77.0.0/24'], ['fd77::/64', '10.78.0.0/16']),
    endpoint: fc.constantFrom(
      undefined,
      { protocol: 'ip' as const, address: '198.51.100.1', port: 51_820 },
      { protocol: 'ip6' as const, address: '2001:db8::1', port: 1 },
    ),
  });
}

/**
 * Policies of every kind: prefixes that lie in one another, twice the same, odd ports, limits at
 * their ends.
 */
export const arbitraryPolicy: fc.Arbitrary<GatewayPolicy> = fc.record({
  devices: fc
    .tuple(
      arbitraryDevice(fc.constantFrom('tributary0', 'wg-1.2_3', 'x')),
      fc.option(arbitraryDevice(fc.constant('program0')), { nil: undefined }),
    )
    .map((devices) => devices.filter((device) => device !== undefined)),
  uplink: fc.constantFrom(undefined, 'eth0', 'enp0s31f6', 'eth0.100'),
  uplinkAddresses: fc.uniqueArray(fc.ipV4(), { maxLength: 3 }),
  pagePort: fc.constantFrom(undefined, 9469),
  consumerPorts: fc.constantFrom([], [{ first: 16_384, last: 32_767 }], severalRanges),
  openProtocols: fc.subarray([...furtherProtocols]),
  tunnelEnds: fc.constantFrom([], ['198.51.100.9', '2001:db8::9']),
  ownPrefixes: prefixes,
  allowDestinations: prefixes,
  denyDestinations: prefixes,
  blockedPorts: fc.array(
    fc.oneof(fc.integer({ min: 1, max: 65_535 }), fc.constantFrom(25, 1, 65_535), arbitraryRange),
    {
      maxLength: 30,
    },
  ),
  connections: fc.record({
    perConsumer: ceiling,
    total: ceiling,
    newPerSecond: ceiling,
    halfOpen: ceiling,
  }),
  line: fc.record({
    classOf: fc.constantFrom('consumer', 'connection', undefined),
    dropAboveBits: rate,
    floodBits: rate,
    isLowPriority: fc.boolean(),
  }),
  remainingBytes: remaining,
  remainingNewBytes: remaining,
  probes: fc.constantFrom([], homeProbes),
});
