import { describe, expect, test } from 'vitest';
import { expandPresets } from '../../../src/config/port-presets.ts';
import {
  type Probe,
  type ProbeSources,
  planProbes,
  probeSets,
  toProbeMark,
} from '../../../src/gateway/self-test.ts';
import {
  countRefusedProbes,
  judgeSelfTest,
  type SelfTestReadings,
} from '../../../src/gateway/self-test-verdict.ts';
import type { Interface, Route } from '../../../src/system/ip.ts';
import type { NftTable } from '../../../src/system/nft.ts';
import { homeProbes } from './policy-fixture.ts';

const uplink = (addresses: Interface['addresses'], name = 'eth0'): Interface => ({
  name,
  isUp: true,
  isLoopback: false,
  mtu: 1500,
  hardwareAddress: undefined,
  kind: undefined,
  addresses,
});
const defaultRoute = (family: 4 | 6, gateway: string | undefined): Route => ({
  family,
  table: 'main',
  type: 'unicast',
  destination: 'default',
  interface: 'eth0',
  gateway,
  metric: 0,
});
const home: ProbeSources = {
  network: {
    interfaces: [
      uplink([
        { family: 4, address: '192.168.1.10', prefixLength: 24 },
        { family: 6, address: 'fe80::5', prefixLength: 64 },
        { family: 6, address: '2a00:1:2:3::10', prefixLength: 64 },
      ]),
    ],
    routes: [defaultRoute(4, '192.168.1.1'), defaultRoute(6, 'fe80::1')],
    ways: [],
  },
  uplink: 'eth0',
  publicAddresses: [],
  allowDestinations: [],
  blockedPorts: [25],
  devices: [{ name: 'tributary0', consumers: undefined, isStrict: false, families: [4] }],
};
const say = (sources: Partial<ProbeSources>) =>
  planProbes({ ...home, ...sources }).map(
    ({ name, destination, port }) => `${name}: ${destination} ${port}`,
  );

describe('the probes of a device', () => {
  test('try the device, its router, a metadata service, a blocked port, and what has to pass', () => {
    expect(say({})).toEqual([
      'this device: 192.168.1.10 443',
      'the home network: 192.168.1.1 443',
      'a metadata service: 169.254.169.254 443',
      'a blocked port: 1.1.1.1 25',
      'the Internet: 1.1.1.1 443',
    ]);
  });

  test('go over IPv6 too where the tunnel carries it, and never to a link-local address', () => {
    const added = say({
      devices: [{ name: 'tributary0', consumers: undefined, isStrict: false, families: [4, 6] }],
    }).slice(5);
    expect(added).toEqual([
      'this device: 2a00:1:2:3::10 443',
      'a metadata service: fd00:ec2::254 443',
      'a blocked port: 2606:4700:4700::1111 25',
      'the Internet: 2606:4700:4700::1111 443',
    ]);
  });

  test('try a port that the strict rules refuse, and the Internet at one that they do not', () => {
    const devices = [
      { name: 'tributary0', consumers: undefined, isStrict: true, families: [4] as const },
    ];
    expect(say({ devices })).toContain('a risky port: 1.1.1.1 1');
    expect(say({ devices })).toContain('the Internet: 1.1.1.1 443');
    const blockedPorts = ['1-52', 443];
    expect(say({ devices, blockedPorts })).toContain('a risky port: 1.1.1.1 54');
    expect(say({ devices, blockedPorts })).toContain('the Internet: 1.1.1.1 53');
    expect(say({}).filter((line) => line.startsWith('a risky port'))).toEqual([]);
  });

  test("try the home's public address once it is known, unless the owner opened it", () => {
    const publicAddresses = ['203.0.113.2'];
    expect(say({ publicAddresses })).toContain("the home's public address: 203.0.113.2 443");
    expect(say({ publicAddresses, allowDestinations: ['203.0.113.0/24'] })).toEqual(say({}));
  });

  test.each<readonly [string, Partial<ProbeSources>, string]>([
    [
      'the router, which the owner opened',
      { allowDestinations: ['192.168.1.0/24'] },
      'the home network',
    ],
    [
      'metadata services, which the owner opened',
      { allowDestinations: ['169.254.0.0/16'] },
      'a metadata service',
    ],
    ['a blocked port, because none is', { blockedPorts: [] }, 'a blocked port'],
    [
      'a blocked port, because none is for UDP',
      { blockedPorts: ['tcp/25', 'other-protocols'] },
      'a blocked port',
    ],
    ['the Internet, of which every port is blocked', { blockedPorts: ['1-65535'] }, 'the Internet'],
    [
      'the router of a line without one',
      { network: { ...home.network, routes: [] } },
      'the home network',
    ],
  ])('leave out %s', (_, change, name) => {
    expect(say(change).filter((line) => line.startsWith(name))).toEqual([]);
    expect(say({}).filter((line) => line.startsWith(name))).not.toEqual([]);
  });

  test.each<readonly [ProbeSources['blockedPorts'], number, number]>([
    [['tcp/25', 'other-protocols', 'udp/1900', 26], 1900, 443],
    [['6881-6889'], 6881, 443],
    [['udp/443'], 443, 442],
    [['1-442', 443], 1, 444],
    [expandPresets(['web-only']), 1, 443],
    [['1-52', '53-65534'], 1, 65_535],
  ])(
    'try with %j blocked port %i, and the others at %i, which is open',
    (blockedPorts, blocked, open) => {
      const ports = planProbes({ ...home, blockedPorts }).map(({ name, port }) => [
        name === 'a blocked port',
        port,
      ]);
      expect(ports.filter(([isBlocked]) => isBlocked)).toEqual([[true, blocked]]);
      expect(new Set(ports.filter(([isBlocked]) => !isBlocked).map(([, port]) => port))).toEqual(
        new Set([open]),
      );
    },
  );

  test('try over IPv6 only what is refused where no IPv6 leads to the Internet', () => {
    const dual = {
      devices: [{ name: 'tributary0', consumers: undefined, isStrict: false, families: [4, 6] }],
    } as const;
    const internet = (routes: readonly Route[]) =>
      planProbes({ ...home, ...dual, network: { ...home.network, routes } })
        .filter(({ name }) => name === 'the Internet')
        .map(({ family }) => family);
    const [route4, route6] = [defaultRoute(4, '192.168.1.1'), defaultRoute(6, 'fe80::1')];
    expect(internet([route4, route6])).toEqual([4, 6]);
    expect(internet([route4, { ...route6, interface: 'wlan0' }])).toEqual([4]);
    expect(internet([route4])).toEqual([4]);
    const refused = planProbes({
      ...home,
      ...dual,
      network: { ...home.network, routes: [route4] },
    });
    expect(refused.filter(({ family }) => family === 6).map(({ name }) => name)).toEqual([
      'this device',
      'a metadata service',
      'a blocked port',
    ]);
  });

  test('do not exist without an uplink', () => {
    expect(say({ uplink: undefined })).toEqual([]);
  });

  test('seem to come from a network that the device is not in', () => {
    const [address] = planProbes(home);
    const inside = uplink([{ family: 4, address: '10.93.0.1', prefixLength: 16 }], 'eth1');
    const [other] = planProbes({
      ...home,
      network: { ...home.network, interfaces: [...home.network.interfaces, inside] },
    });
    expect([address?.source, other?.source]).toEqual(['10.93.171.5', '172.27.171.5']);
  });
});

/** A table in which each probe arrived and passed so often: `[arrived, passed]`. */
function count(
  counts: readonly (readonly [Probe, number, number])[],
  permit: readonly string[] = ['tun0'],
): NftTable {
  const elementPackets = counts.flatMap(([probe, arrived, passed]): [string, number][] => [
    [`${probeSets.arrived}/${toProbeMark(probe)}`, arrived],
    ...(passed > 0
      ? [[`${probeSets.passed}/${toProbeMark(probe)}`, passed] as [string, number]]
      : []),
  ]);
  return {
    counters: new Map(),
    quotas: new Map(),
    sets: new Map([['permit', permit]]),
    expires: new Map(),
    elementPackets: new Map(elementPackets),
    rules: new Map(),
    policies: new Map(),
    listing: '',
  };
}

const [device, port, internet] = homeProbes as readonly [Probe, Probe, Probe];
const probes = [device, port, internet];
const good = count([
  [device, 2, 0],
  [port, 2, 0],
  [internet, 2, 2],
]);

describe('a self-test', () => {
  test.each<readonly [string, SelfTestReadings, string, readonly Probe[]]>([
    [
      'held where only what must pass did',
      { before: undefined, after: good, open: ['tributary0'] },
      'held',
      [],
    ],
    [
      'leaks where one more passed than before',
      {
        before: count([
          [device, 2, 3],
          [port, 2, 0],
          [internet, 2, 2],
        ]),
        after: count([
          [device, 3, 4],
          [port, 3, 0],
          [internet, 3, 3],
        ]),
        open: ['tributary0'],
      },
      'leaking',
      [device],
    ],
    [
      'leaks where one passed of a new table, which counts from nothing',
      {
        before: count([
          [device, 9, 9],
          [port, 9, 0],
          [internet, 9, 9],
        ]),
        after: count([
          [device, 1, 1],
          [port, 1, 0],
          [internet, 1, 1],
        ]),
        open: ['tributary0'],
      },
      'leaking',
      [device],
    ],
    [
      'is lost where one did not come in again',
      {
        before: good,
        after: count([
          [device, 3, 0],
          [port, 2, 0],
          [internet, 3, 3],
        ]),
        open: ['tributary0'],
      },
      'lost',
      [port],
    ],
    [
      'is stuck where what must pass did not',
      {
        before: good,
        after: count([
          [device, 3, 0],
          [port, 3, 0],
          [internet, 3, 2],
        ]),
        open: ['tributary0'],
      },
      'stuck',
      [internet],
    ],
    [
      'held where nothing passes because there was no permit',
      {
        before: good,
        after: count([
          [device, 3, 0],
          [port, 3, 0],
          [internet, 3, 2],
        ]),
        open: [],
      },
      'held',
      [],
    ],
  ])('%s', (_, readings, kind, named) => {
    const result = judgeSelfTest(probes, readings);
    expect(result.kind).toBe(kind);
    expect(result.kind === 'held' ? [] : result.probes).toEqual(named);
  });
});

test('refused probes are counted by the rule that refused them', () => {
  const counts = countRefusedProbes(
    count([
      [device, 5, 1],
      [port, 4, 0],
      [internet, 6, 4],
    ]),
  );
  expect(Object.fromEntries(counts)).toMatchObject({
    refused_host: 4,
    refused_port: 4,
    refused_closed: 2,
  });
});
