import { describe, expect, test } from 'vitest';
import {
  chooseRouter,
  chooseUplink,
  findCollision,
  listOwnPrefixes,
  listRoutedPrefixes,
  listTunnelEnds,
} from '../../../src/gateway/uplink.ts';
import { findWayOut, listDefaultRoutes, listDetours } from '../../../src/gateway/way-out.ts';
import type { Interface, Route } from '../../../src/system/ip.ts';
import type { Way } from '../../../src/system/ways.ts';

function createInterface(
  name: string,
  addresses: readonly string[] = [],
  changes: Partial<Interface> = {},
): Interface {
  return {
    name,
    isUp: true,
    isLoopback: name === 'lo',
    mtu: 1500,
    hardwareAddress: undefined,
    kind: undefined,
    addresses: addresses.map((text) => {
      const [address = '', length] = text.split('/');
      return { family: address.includes(':') ? 6 : 4, address, prefixLength: Number(length) };
    }),
    ...changes,
  };
}

const createDefaultRoute = (dev: string, changes: Partial<Route> = {}): Route => ({
  family: 4,
  table: 'main',
  type: 'unicast',
  destination: 'default',
  interface: dev,
  gateway: '192.168.1.1',
  metric: 0,
  ...changes,
});

/** What the kernel would answer where nothing but main's default routes decides. */
function toWays(routes: readonly Route[]): readonly Way[] {
  const best = ([4, 6] as const).flatMap(
    (family) => listDefaultRoutes(routes).find((route) => route.family === family) ?? [],
  );
  return best.flatMap(({ family, interface: name, gateway }) =>
    name === undefined ? [] : [{ family, interface: name, gateway }],
  );
}

const interfaces = [
  createInterface('lo', ['127.0.0.1/8', '::1/128']),
  createInterface('eth0', ['192.168.1.10/24', 'fe80::1/64', '2001:db8:7::1/64']),
  createInterface('wlan0', ['192.168.1.11/24', '10.0.0.9/32']),
  createInterface('down0', ['172.20.0.1/16'], { isUp: false }),
  createInterface('tributary0', ['10.23.45.67/32']),
  createInterface('odd0', ['203.0.113.9/0', 'fe80::9%odd0/64']),
];

describe('the uplink', () => {
  test.each<[string, readonly Route[], string | undefined, string | undefined]>([
    [
      'none without a default route',
      [createDefaultRoute('eth0', { destination: '10.0.0.0/8' })],
      undefined,
      undefined,
    ],
    ['that of the only default route', [createDefaultRoute('eth0')], undefined, 'eth0'],
    [
      'that of the lowest metric',
      [createDefaultRoute('wlan0', { metric: 600 }), createDefaultRoute('eth0', { metric: 100 })],
      undefined,
      'eth0',
    ],
    [
      'IPv4 before IPv6',
      [createDefaultRoute('wlan0', { family: 6 }), createDefaultRoute('eth0', { metric: 100 })],
      undefined,
      'eth0',
    ],
    [
      'IPv6 where there is nothing else',
      [createDefaultRoute('wlan0', { family: 6 })],
      undefined,
      'wlan0',
    ],
    [
      'never the tunnel',
      [createDefaultRoute('tributary0'), createDefaultRoute('eth0', { metric: 9 })],
      undefined,
      'eth0',
    ],
    ['never one that is down', [createDefaultRoute('down0')], undefined, undefined],
    ['never one that is gone', [createDefaultRoute('gone0')], undefined, undefined],
    [
      'no route of another table',
      [createDefaultRoute('eth0', { table: '51820' })],
      undefined,
      undefined,
    ],
    ['no blackhole', [createDefaultRoute('eth0', { type: 'blackhole' })], undefined, undefined],
    ['the one that the owner names', [createDefaultRoute('eth0')], 'wlan0', 'wlan0'],
    [
      'none where the owner names one that is down',
      [createDefaultRoute('eth0')],
      'down0',
      undefined,
    ],
    [
      'none where the owner names the tunnel',
      [createDefaultRoute('eth0')],
      'tributary0',
      undefined,
    ],
  ])('is %s', (_, routes, configured, uplink) => {
    expect(
      chooseUplink(
        { routes, ways: toWays(routes), interfaces },
        { configured, devices: ['tributary0'] },
      ),
    ).toBe(uplink);
  });
});

describe('asked of the kernel', () => {
  const vpn = { family: 4, interface: 'tun9', gateway: '10.8.0.1' } as const;
  const lan = { family: 4, interface: 'eth0', gateway: '192.168.1.1' } as const;
  const wifi = { family: 4, interface: 'wlan0', gateway: '192.168.1.1' } as const;
  const withVpn = [...interfaces, createInterface('tun9', ['10.8.0.2/24'], { kind: 'tun' })];
  const routes = [createDefaultRoute('eth0')];
  const devices = ['tributary0'];

  test('the uplink is the one that packets leave by, whatever main has as its default route', () => {
    const network = { routes, ways: [vpn, vpn], interfaces: withVpn };
    expect(chooseUplink(network, { devices })).toBe('tun9');
    expect(chooseRouter(network, 'tun9')).toBe('10.8.0.1');
  });

  test('there is none where a rule forbids the way that main has', () => {
    expect(chooseUplink({ routes, ways: [], interfaces }, { devices })).toBeUndefined();
  });

  test('an uplink that the owner names is one of the host, not of the namespace on it', () => {
    const inside = [createInterface('uplink0', ['198.18.213.2/30'], { kind: 'veth' })];
    const ways = [{ ...lan, interface: 'uplink0' }];
    const network = { routes: [], ways, interfaces: inside };
    expect(chooseUplink(network, { configured: 'eth0', devices })).toBe('uplink0');
    expect(
      chooseUplink({ routes, ways: [lan], interfaces }, { configured: 'uplink0', devices }),
    ).toBe('eth0');
  });

  test.each<[string, readonly Route[], readonly Way[], string, Way | undefined]>([
    ['is none where all leaves by the uplink', routes, [lan, lan], 'eth0', undefined],
    ['leads past the two halves of a VPN', routes, [vpn, vpn], 'eth0', lan],
    [
      'leads by the interface that the owner names',
      [...routes, createDefaultRoute('wlan0', { metric: 600 })],
      [lan, lan],
      'wlan0',
      wifi,
    ],
    [
      'leads by one of several next hops',
      [...routes, createDefaultRoute('wlan0')],
      [lan, lan],
      'eth0',
      lan,
    ],
    [
      'is none where both next hops are on one interface',
      [...routes, createDefaultRoute('eth0', { gateway: '192.168.1.2' })],
      [lan, lan],
      'eth0',
      undefined,
    ],
    ['is none where the uplink leads nowhere', routes, [lan, lan], 'wlan0', undefined],
    [
      'of IPv6 leads by the gateway of IPv6',
      [createDefaultRoute('eth0', { family: 6, gateway: 'fe80::1', metric: 1024 })],
      [lan, { family: 6, interface: 'wlan0', gateway: 'fe80::2' }],
      'eth0',
      { family: 6, interface: 'eth0', gateway: 'fe80::1' },
    ],
  ])('the detour of consumers %s', (_, given, ways, uplink, detour) => {
    expect(listDetours({ routes: given, ways }, uplink)).toEqual(
      detour === undefined ? [] : [detour],
    );
  });

  test('the way by an interface that is not preferred is its own default route', () => {
    const other = createDefaultRoute('wlan0', { metric: 600, gateway: '192.168.1.9' });
    const network = { routes: [...routes, other], ways: [lan] };
    expect(findWayOut(network, 'wlan0', 4)).toMatchObject({ gateway: '192.168.1.9' });
    expect(findWayOut(network, 'wlan0', 6)).toBeUndefined();
    expect(findWayOut(network, undefined, 4)).toBeUndefined();
  });
});

test('own prefixes come from every interface except loopback and the tunnel, each once', () => {
  expect(listOwnPrefixes(interfaces, ['tributary0'])).toEqual([
    '10.0.0.9',
    '172.20.0.0/16',
    '192.168.1.0/24',
    '2001:db8:7::/64',
    'fe80::/64',
  ]);
});

describe('a public network that the device reaches by a way of its own', () => {
  const home = [
    createDefaultRoute('eth0'),
    createDefaultRoute('eth0', { family: 6, gateway: 'fe80::1' }),
  ];
  const route = (destination: string, changes: Partial<Route> = {}): Route =>
    createDefaultRoute('eth0', {
      family: destination.includes(':') ? 6 : 4,
      destination,
      gateway: destination.includes(':') ? 'fe80::20' : '192.168.1.20',
      ...changes,
    });
  const list = (...routes: readonly Route[]) =>
    listRoutedPrefixes({ routes: [...home, ...routes], ways: toWays(home) }, ['tributary0']);

  test.each<[string, Route]>([
    ['behind another router', route('84.20.0.0/28')],
    ['behind another router, over IPv6', route('2a0f:9::/48')],
    ['one address', route('84.20.0.5')],
    ['on the link itself', route('84.20.0.0/28', { gateway: undefined })],
    [
      'behind an IPv6 neighbour',
      route('84.20.0.0/28', { gateway: undefined, otherGateway: 'fe80::20' }),
    ],
    ['by another interface', route('84.20.0.0/28', { interface: 'vpn0', gateway: undefined })],
    ['by several ways', route('84.20.0.0/28', { interface: undefined, gateway: undefined })],
    [
      'by the gateway of the other interface',
      route('84.20.0.0/28', { interface: 'wlan0', gateway: '192.168.1.1' }),
    ],
  ])('is own: %s', (_, own) => {
    expect(list(own)).toEqual([own.destination]);
  });

  test.each<[string, Route]>([
    ['by the default gateway', route('84.20.0.0/28', { gateway: '192.168.1.1' })],
    ['in another table', route('84.20.0.0/28', { table: '100' })],
    ['not reachable', route('84.20.0.0/28', { type: 'unreachable' })],
    ["by a source's device", route('84.20.0.0/28', { interface: 'tributary0' })],
    ['private, where consumers may be', route('10.0.0.0/8')],
    ['private, over IPv6', route('fd00:1::/32')],
    ['half of the Internet, as VPN programs write it', route('0.0.0.0/1', { interface: 'vpn0' })],
    ['the Internet over IPv6, as some routers write it', route('2000::/3')],
  ])('is none: %s', (_, other) => {
    expect(list(other)).toEqual([]);
  });
});

test('a tunnel address that lies in an own network is found', () => {
  expect(findCollision(['10.23.45.67', '192.168.1.77'], ['192.168.1.0/24'])).toBe('192.168.1.77');
  expect(findCollision(['10.23.45.67'], ['192.168.1.0/24', '::/0'])).toBeUndefined();
});

test('text that is no address has no network', () => {
  expect(
    listOwnPrefixes([createInterface('eth0', ['nonsense/24', '192.168.1.10/24'])], ['tributary0']),
  ).toEqual(['192.168.1.0/24']);
});

test('the far ends of the machine’s own tunnels are known once each', () => {
  const interfaces = [
    createInterface('eth0', ['192.168.1.10/24']),
    createInterface('he-ipv6', ['2001:db8::2/64'], { kind: 'sit', tunnelEnd: '198.51.100.9' }),
    createInterface('gre1', [], { kind: 'gre', tunnelEnd: '198.51.100.9' }),
  ];
  expect(listTunnelEnds(interfaces)).toEqual(['198.51.100.9']);
});
