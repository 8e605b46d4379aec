import { expect, test } from 'vitest';
import { planDataPath } from '../../../../src/agent/pass/desired-data-path.ts';
import { expandPresets } from '../../../../src/config/port-presets.ts';
import { findWaysOut } from '../../../../src/config/recipients.ts';
import { configSchema } from '../../../../src/config/schema.ts';
import { toWish } from '../../../../src/source/wireguard/driver.ts';
import { parseIssuedTunnel } from '../../../../src/source/wireguard/parse.ts';
import { parseAddressList } from '../../../../src/system/address-list.ts';
import { noTotals } from '../../gateway/policy-fixture.ts';
import {
  clientKeys,
  createIssued,
  renderIssuedText,
} from '../../source/wireguard/issued-fixture.ts';

const config = configSchema.parse({
  service: { base_url: 'https://service.example', renew_seconds_default: 20 },
  tunnel: { interface: 'tributary9' },
  gateway: {
    blocked_ports: [25, 465],
    router_helpers: 'pass',
    allow_destinations: ['192.0.2.0/24'],
    deny_destinations: ['file:/a.txt', '198.51.100.7'],
    uplink: 'eth7',
    connections: { total: 900, half_open: 0 },
    low_priority: false,
  },
  provide: { household: 'off' },
});
const spec = parseIssuedTunnel(createIssued(renderIssuedText()), { isServiceOnLoopback: false });
const wish = toWish({
  kind: 'present',
  interface: 'tributary9',
  backend: 'auto',
  spec,
  endpoint: '198.51.100.1:51820',
  persistentKeepaliveSeconds: 25,
});
const denied = [parseAddressList('198.51.100.7', 'here')];
const badAddresses = [parseAddressList('203.0.113.9', 'there')];
const publicAddresses = ['203.0.113.2'];
const usage = { totals: () => noTotals, stopAtBytes: () => 10_000, newUntilBytes: () => 9_000 };
const limit = { bitsPerSecond: 5_000_000, source: 'configured' } as const;
const plan = (change: Partial<Parameters<typeof planDataPath>[0]> = {}) =>
  planDataPath({
    config,
    wishes: [wish],
    denied,
    badAddresses,
    mode: 'public',
    publicAddresses,
    usage,
    limit,
    ...change,
  });

test('the desired data path is made from the configuration, the issued tunnel and what is left of the cap', () => {
  expect(plan()).toEqual({
    sources: [wish],
    configuredUplink: 'eth7',
    gateway: {
      allowDestinations: ['192.0.2.0/24'],
      denyDestinations: ['198.51.100.7'],
      blockedPorts: [25, 465],
      openProtocols: [],
      pagePort: undefined,
      connections: { perConsumer: undefined, total: 900, newPerSecond: undefined, halfOpen: 0 },
    },
    line: { limitBits: 5_000_000, isHouseholdFirst: false, isLowPriority: false },
    denied,
    strict: { setting: 'auto', mode: 'public' },
    badAddresses,
    publicAddresses,
    stopAtBytes: 10_000,
    newUntilBytes: 9_000,
    totals: noTotals,
  });
});

test.each<readonly [string, number | undefined]>([
  ['127.0.0.1:9469', undefined],
  ['[::1]:9469', undefined],
  ['0.0.0.0:9469', 9469],
  ['[::]:80', 80],
  ['192.168.1.10:9000', 9000],
  ['0.0.0.0:0', undefined],
])('the page on %s is for others at port %s', (listen, pagePort) => {
  const own = configSchema.parse({
    service: { base_url: 'https://service.example' },
    status: { listen },
  });
  expect(plan({ config: own }).gateway.pagePort).toBe(pagePort);
});

test('it is data: printed it shows everything but secrets, and twice the same is equal', () => {
  const text = JSON.stringify(plan());
  expect(text).toContain('10000');
  expect(text).not.toContain(clientKeys.privateKey);
  expect(JSON.stringify(plan())).toBe(text);
  const hasFunction = (value: unknown): boolean =>
    typeof value === 'function' ||
    (typeof value === 'object' && Object.values(value ?? {}).some(hasFunction));
  expect(hasFunction({ ...plan(), remaining: () => 1 })).toBe(true);
  expect(hasFunction(plan())).toBe(false);
});

test('ports at which routers read along are blocked beside those that the owner names', () => {
  const { gateway } = configSchema.parse({
    service: { base_url: 'https://service.example' },
    gateway: { blocked_ports: [] },
  });
  const { blockedPorts = [] } = plan({ config: { ...config, gateway } }).gateway ?? {};
  expect(blockedPorts).toEqual(expandPresets(['router-helpers']));
  // Consumers alone: the tunnel itself may lead to one of them.
  const ways = findWaysOut({ ...config, gateway });
  expect(ways).toMatchObject({ blockedPorts: [], helperPorts: blockedPorts });
  expect(findWaysOut(config).helperPorts).toEqual([]);
});
