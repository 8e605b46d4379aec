import { describe, expect, test } from 'vitest';
import {
  createEngineDriver,
  fitsEngine,
  type ObservedEngineDevice,
  wantEngineDevice,
} from '../../../../src/source/connect/device.ts';
import type { Interface } from '../../../../src/system/ip.ts';

const device = 'tributary-c0';
const addresses = ['100.126.0.1', 'fd5e:b4c2:91d7::1'];
const user = { uid: 990, name: 'tributary-connect' };
const driver = createEngineDriver(async () => '', {
  device,
  consumers: ['100.126.0.0/16', 'fd5e:b4c2:91d7::/112'],
});
const wish = wantEngineDevice(device, addresses, { user });
const fitting: ObservedEngineDevice = {
  kind: 'present',
  isUp: true,
  mtu: 1500,
  addresses,
  takesOffloads: true,
  user: 'tributary-connect',
  queueLength: 2000,
};
const link: Interface = {
  name: device,
  isUp: true,
  isLoopback: false,
  mtu: 1500,
  hardwareAddress: undefined,
  kind: 'tun',
  tun: { hasVnetHeader: true, user: '990', queueLength: 2000 },
  addresses: [
    { family: 4, address: '100.126.0.1', prefixLength: 32 },
    { family: 6, address: 'fd5e:b4c2:91d7::1', prefixLength: 128 },
    { family: 6, address: 'fe80::1', prefixLength: 64 },
  ],
};

const show = (observed: ObservedEngineDevice, wanted: Parameters<typeof driver.plan>[0] = wish) =>
  driver.plan(wanted, observed).map((step) => `${step.stage}: ${driver.show(step).join('; ')}`);

const made = [
  `make: ip tuntap add dev ${device} mode tun vnet_hdr user 990`,
  `change: ip address add 100.126.0.1/32 dev ${device} noprefixroute`,
  `change: ip address add fd5e:b4c2:91d7::1/128 dev ${device} noprefixroute`,
  `change: ip link set ${device} mtu 1500`,
  `change: ip link set ${device} txqueuelen 2000`,
  `raise: ip link set ${device} up`,
];

describe('the device that the engine attaches to', () => {
  test('is made for its user, and brought up last', () => {
    expect(show({ kind: 'absent' })).toEqual(made);
  });

  test('needs nothing once it is as wanted', () => {
    expect(show(fitting)).toEqual([]);
    expect(show({ ...fitting, user: '990' })).toEqual([]);
    expect(show({ ...fitting, queueLength: undefined })).toEqual([]);
  });

  test.each([
    ['another user’s', { ...fitting, user: 'root' }],
    ['everybody’s', { ...fitting, user: undefined }],
    ['without headers', { ...fitting, takesOffloads: false }],
  ])('is made again where it is %s', (_, observed) => {
    expect(show(observed)).toEqual([`remove: ip link delete ${device}`, ...made]);
  });

  test('gets what it lacks, and loses what is not its own', () => {
    const observed = {
      ...fitting,
      isUp: false,
      mtu: 1420,
      queueLength: 500,
      addresses: ['100.126.0.1', '10.1.1.1'],
    };
    expect(show(observed)).toEqual([
      `change: ip address add fd5e:b4c2:91d7::1/128 dev ${device} noprefixroute`,
      `change: ip address delete 10.1.1.1/32 dev ${device}`,
      `change: ip link set ${device} mtu 1500`,
      `change: ip link set ${device} txqueuelen 2000`,
      `raise: ip link set ${device} up`,
    ]);
  });

  test('is removed where it is not wanted, and left alone where nothing better is known', () => {
    const { kind: _, ...settings } = wish;
    expect(show(fitting, { ...settings, kind: 'absent' })).toEqual([
      `remove: ip link delete ${device}`,
    ]);
    expect(show({ kind: 'absent' }, { ...settings, kind: 'absent' })).toEqual([]);
    expect(show(fitting, { ...settings, kind: 'untouched' })).toEqual([]);
  });

  test('is seen with its user and its headers, without what the kernel gave it', async () => {
    const observed = await driver.observe([link]);
    expect(observed).toEqual({ ...fitting, user: '990' });
    expect(fitsEngine({ user }, observed)).toBe(true);
    const { tun: _, ...other } = { ...link, kind: 'veth' };
    expect(fitsEngine({ user }, await driver.observe([other]))).toBe(false);
    expect(await driver.observe([])).toEqual({ kind: 'absent' });
  });

  test('carries IPv4 alone where there is no IPv6', () => {
    const { wish: fitted, missing } = driver.fit(wish, { hasIpv6: false, uplinkMtu: 1500 });
    expect(missing).toBe('ipv6');
    expect(driver.plan(fitted, { kind: 'absent' })).toHaveLength(made.length - 1);
  });

  test('is known again by its address where another program renamed it', () => {
    expect(driver.findRenamed(wish, [{ ...link, name: 'renamed0' }])).toBe('renamed0');
    expect(driver.findRenamed(wish, [link, { ...link, name: 'other0' }])).toBeUndefined();
    expect(driver.findRenamed(wish, [{ ...link, name: 'wg0', kind: 'wireguard' }])).toBeUndefined();
  });
});
