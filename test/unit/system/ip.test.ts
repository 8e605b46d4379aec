import { describe, expect, test } from 'vitest';
import { SystemError } from '../../../src/system/errors.ts';
import {
  applyIpCommands,
  observeInterfaces,
  observeRoutes,
  observeRules,
} from '../../../src/system/ip.ts';
import { observeWays } from '../../../src/system/ways.ts';

const saying = (text: string) => () => Promise.resolve(text);

describe("ip's lists", () => {
  test('of interfaces become interfaces', async () => {
    const rows = [
      {
        ifindex: 1,
        ifname: 'lo',
        flags: ['LOOPBACK', 'UP', 'LOWER_UP'],
        mtu: 65_536,
        address: '00:00:00:00:00:00',
        addr_info: [{ family: 'inet', local: '127.0.0.1', prefixlen: 8 }],
      },
      {},
      {
        ifindex: 2,
        ifname: 'eth0',
        flags: ['BROADCAST'],
        mtu: 1500,
        address: '02:00:00:00:00:01',
        linkinfo: {},
        addr_info: [
          { family: 'inet6', local: 'fe80::1', prefixlen: 64 },
          { family: 'mpls' },
          {},
        ].filter((row) => 'family' in row),
      },
      {
        ifindex: 3,
        ifname: 'tributary0',
        flags: ['POINTOPOINT', 'UP'],
        mtu: 1420,
        linkinfo: { info_kind: 'wireguard' },
      },
      {
        ifindex: 4,
        ifname: 'he-ipv6',
        flags: ['POINTOPOINT', 'UP'],
        mtu: 1480,
        linkinfo: { info_kind: 'sit', info_data: { remote: '198.51.100.9', local: '192.0.2.1' } },
      },
      {
        ifindex: 5,
        ifname: 'any',
        flags: ['UP'],
        mtu: 1480,
        linkinfo: { info_kind: 'gre', info_data: { remote: 'any' } },
      },
    ];
    expect(await observeInterfaces(saying(JSON.stringify(rows)))).toEqual([
      {
        name: 'lo',
        isUp: true,
        isLoopback: true,
        mtu: 65_536,
        hardwareAddress: '00:00:00:00:00:00',
        kind: undefined,
        addresses: [{ family: 4, address: '127.0.0.1', prefixLength: 8 }],
      },
      {
        name: 'eth0',
        isUp: false,
        isLoopback: false,
        mtu: 1500,
        hardwareAddress: '02:00:00:00:00:01',
        kind: undefined,
        addresses: [{ family: 6, address: 'fe80::1', prefixLength: 64 }],
      },
      {
        name: 'tributary0',
        isUp: true,
        isLoopback: false,
        mtu: 1420,
        hardwareAddress: undefined,
        kind: 'wireguard',
        addresses: [],
      },
      {
        name: 'he-ipv6',
        isUp: true,
        isLoopback: false,
        mtu: 1480,
        hardwareAddress: undefined,
        kind: 'sit',
        tunnelEnd: '198.51.100.9',
        addresses: [],
      },
      {
        name: 'any',
        isUp: true,
        isLoopback: false,
        mtu: 1480,
        hardwareAddress: undefined,
        kind: 'gre',
        addresses: [],
      },
    ]);
  });

  test('of routes become routes', async () => {
    const rows = [
      {
        dst: 'default',
        gateway: '192.168.1.1',
        dev: 'eth0',
        protocol: 'dhcp',
        metric: 100,
        flags: [],
      },
      { type: 'blackhole', dst: '10.0.0.0/8', table: '51821', flags: [] },
      { type: 'local', dst: '127.0.0.1', dev: 'lo', table: 'local', flags: [] },
    ];
    expect(await observeRoutes(saying(JSON.stringify(rows)), 4)).toEqual([
      {
        family: 4,
        table: 'main',
        type: 'unicast',
        destination: 'default',
        interface: 'eth0',
        gateway: '192.168.1.1',
        metric: 100,
      },
      {
        family: 4,
        table: '51821',
        type: 'blackhole',
        destination: '10.0.0.0/8',
        interface: undefined,
        gateway: undefined,
        metric: 0,
      },
      {
        family: 4,
        table: 'local',
        type: 'local',
        destination: '127.0.0.1',
        interface: 'lo',
        gateway: undefined,
        metric: 0,
      },
    ]);
  });

  test('of rules become rules', async () => {
    const rows = [
      { priority: 5181, src: 'all', iif: 'tributary0', iif_detached: null, table: '51821' },
    ];
    expect(await observeRules(saying(JSON.stringify(rows)), 6)).toEqual([
      { family: 6, priority: 5181, incomingInterface: 'tributary0', table: '51821' },
    ]);
  });

  test.each(['', '\n', '[]', '[{},{}]'])('that say %j hold nothing', async (text) => {
    expect(await observeInterfaces(saying(text))).toEqual([]);
    expect(await observeRoutes(saying(text), 4)).toEqual([]);
  });

  test.each([
    '{',
    'null',
    '{}',
    '7',
    '[null]',
    '["x"]',
    '[{"ifname":7}]',
    '[{"dst":7}]',
    'Object "x" is unknown',
  ])('that say %j are not taken for empty ones', async (text) => {
    await expect(observeInterfaces(saying(text))).rejects.toMatchObject({ code: 'command-failed' });
    await expect(observeRoutes(saying(text), 4)).rejects.toMatchObject({ code: 'command-failed' });
    await expect(observeRules(saying(text), 4)).rejects.toMatchObject({ code: 'command-failed' });
  });
});

test('commands run in order, one process for each family, and none where there are none', async () => {
  const ran: string[] = [];
  const exec = async ({ args, input }: { args: readonly string[]; input?: string }) => {
    ran.push(`${args.join(' ')}: ${input}`);
    return '';
  };
  await applyIpCommands(exec, [], 'test');
  await applyIpCommands(
    exec,
    [
      { family: 6, line: 'a' },
      { family: 4, line: 'b' },
      { family: 6, line: 'c' },
    ],
    'test',
  );
  expect(ran).toEqual(['-4 -batch -: b\n', '-6 -batch -: a\nc\n']);
});

describe("the kernel's answer about the way to the Internet", () => {
  const answer = async (said: (address: string) => string, family: 4 | 6 = 4) =>
    observeWays(async ({ args }) => said(args.at(-1) ?? ''), family);

  test('is asked for an address in each half of IPv4', async () => {
    const halves = (address: string) =>
      JSON.stringify([
        Number(address.split('.')[0]) < 128
          ? { dst: address, gateway: '10.8.0.1', dev: 'tun9', prefsrc: '10.8.0.2' }
          : {
              type: 'unicast',
              dst: address,
              via: { family: 'inet6', host: 'fe80::1' },
              dev: 'eth0',
            },
      ]);
    expect(await answer(halves)).toEqual([
      { family: 4, interface: 'tun9', gateway: '10.8.0.1' },
      { family: 4, interface: 'eth0', gateway: undefined, otherGateway: 'fe80::1' },
    ]);
  });

  test('is no way where it refuses, or where a route leads nowhere', async () => {
    const refused = () => {
      throw new SystemError('command-failed', 'Network is unreachable');
    };
    expect(await answer(refused)).toEqual([]);
    expect(await answer(refused, 6)).toEqual([]);
    const leadsNowhere = () => JSON.stringify([{ type: 'unreachable', dst: '::', dev: 'lo' }]);
    expect(await answer(leadsNowhere, 6)).toEqual([]);
    await expect(
      answer(() => {
        throw new SystemError('missing-program', 'no ip');
      }),
    ).rejects.toMatchObject({ code: 'missing-program' });
  });

  test('a route with several next hops is one route for each', async () => {
    const row = {
      dst: 'default',
      metric: 7,
      nexthops: [
        { gateway: '192.168.1.1', dev: 'eth0', weight: 1, flags: [] },
        { via: { family: 'inet6', host: 'fe80::2' }, dev: 'wlan0', weight: 1, flags: [] },
      ],
    };
    const hop = { family: 4, type: 'unicast', table: 'main', destination: 'default', metric: 7 };
    expect(await observeRoutes(saying(JSON.stringify([row])), 4)).toEqual([
      { ...hop, interface: 'eth0', gateway: '192.168.1.1' },
      { ...hop, interface: 'wlan0', gateway: undefined, otherGateway: 'fe80::2' },
    ]);
  });
});
