import { describe, expect, test } from 'vitest';
import {
  chooseUplink,
  findCollision,
  listOwnPrefixes,
  listRoutedPrefixes,
  listTunnelEnds,
} from '../../../src/gateway/uplink.ts';
import type { Interface, Route } from '../../../src/system/ip.ts';

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
    [
      'never one that is down',
      [createDefaultRoute('down0'), createDefaultRoute('eth0', { metric: 9 })],
      undefined,
      'eth0',
    ],
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
    expect(chooseUplink({ routes, interfaces }, { configured, devices: ['tributary0'] })).toBe(
      uplink,
    );
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
    listRoutedPrefixes([...home, ...routes], ['tributary0']);

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
