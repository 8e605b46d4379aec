import { describe, expect, test } from 'vitest';
import { type GatewayPolicy, specialPrefixes } from '../../../src/gateway/policy.ts';
import { composeRouting, noRouting, planRouting } from '../../../src/gateway/routes.ts';
import type { Network, PolicyRule, Route } from '../../../src/system/ip.ts';
import { carryHome, homePolicy } from './policy-fixture.ts';

type Routing = Pick<Network, 'families' | 'rules' | 'routes'>;

const bare: Routing = { families: [4, 6], rules: [], routes: [] };
const policy: GatewayPolicy = {
  ...homePolicy,
  ownPrefixes: [
    '93.184.216.0/24',
    '93.184.217.7/32',
    '2a00:1450::7/128',
    '2a00:1450:4001::/64',
    'no prefix',
  ],
  allowDestinations: ['192.0.2.0/24', '198.51.100.9', '2001:db8::/32'],
};

/** Lines of `ip`, each with its family in front. */
const plan = (desired: ReturnType<typeof composeRouting>, observed: Partial<Routing> = {}) =>
  planRouting(desired, { ...bare, ...observed }).map(({ family, line }) => `${family} ${line}`);

const rule = (change: Partial<PolicyRule>): PolicyRule => ({
  family: 4,
  priority: 5182,
  incomingInterface: 'eth0',
  table: '51820',
  ...change,
});

const route = (change: Partial<Route>): Route => ({
  family: 4,
  table: '51820',
  type: 'unicast',
  destination: 'default',
  interface: 'tributary0',
  gateway: undefined,
  metric: 0,
  ...change,
});

describe('the fence', () => {
  const blackholes = (family: 4 | 6) =>
    plan(composeRouting(policy, carryHome(true)))
      .filter((line) => line.startsWith(`${family} route replace blackhole `))
      .map((line) => line.split(' ')[4]);

  test('leads what is not public and what is the device’s own nowhere, but for the exceptions', () => {
    const special = specialPrefixes.v4.filter((prefix) => prefix !== '192.0.2.0/24');
    expect(blackholes(4)).toEqual([...special, '93.184.216.0/24', '93.184.217.7']);
    const special6 = specialPrefixes.v6.filter((prefix) => prefix !== '2001:db8::/32');
    expect(blackholes(6)).toEqual([...special6, '2a00:1450::7', '2a00:1450:4001::/64']);
  });

  test('hands exceptions on to the next rule', () => {
    const thrown = plan(composeRouting(policy, carryHome(true))).filter((line) =>
      line.includes(' throw '),
    );
    expect(thrown).toEqual([
      '4 route replace throw 192.0.2.0/24 table 51821',
      '4 route replace throw 198.51.100.9 table 51821',
      '6 route replace throw 2001:db8::/32 table 51821',
    ]);
  });
});

describe('the ways through', () => {
  const ways = (hasIpv6: boolean, uplink: string | undefined) =>
    plan(composeRouting({ ...policy, uplink }, carryHome(hasIpv6))).filter(
      (line) => !/ (blackhole|throw) /.test(line),
    );

  test('are one route into the tunnel for each family that it carries, and rules for replies, the fence and its test', () => {
    expect(ways(true, 'eth0')).toEqual([
      '4 route replace default dev tributary0 table 51820',
      '6 route replace default dev tributary0 table 51820',
      '4 rule add priority 5181 iif tributary0 lookup 51821',
      '6 rule add priority 5181 iif tributary0 lookup 51821',
      '4 rule add priority 5182 iif eth0 lookup 51820',
      '6 rule add priority 5182 iif eth0 lookup 51820',
      '4 rule add priority 5180 iif lo to 198.18.0.1 lookup 51820',
      '6 rule add priority 5180 iif lo to fd74:7269:6275::1 lookup 51820',
    ]);
    expect(ways(false, 'eth0')).toEqual([
      '4 route replace default dev tributary0 table 51820',
      '4 rule add priority 5181 iif tributary0 lookup 51821',
      '6 rule add priority 5181 iif tributary0 lookup 51821',
      '4 rule add priority 5182 iif eth0 lookup 51820',
      '4 rule add priority 5180 iif lo to 198.18.0.1 lookup 51820',
    ]);
  });

  test('are missing without an uplink, and the fence stays', () => {
    expect(ways(true, undefined)).toEqual([
      '4 rule add priority 5181 iif tributary0 lookup 51821',
      '6 rule add priority 5181 iif tributary0 lookup 51821',
    ]);
  });
});

describe('the rules that every system has', () => {
  const local = (family: 4 | 6) =>
    rule({ family, priority: 0, incomingInterface: undefined, table: 'local' });
  const usual = (
    desired = composeRouting(policy, carryHome(true)),
    rules: readonly PolicyRule[] = [],
  ) => plan(desired, { rules }).filter((line) => / 3276\d /.test(line));

  test('are restored for each family where all but the kernel’s own first rule were flushed', () => {
    const flushed = composeRouting(policy, carryHome(true));
    const restored = [
      '4 rule add priority 32767 lookup default',
      '4 rule add priority 32766 lookup main',
    ];
    expect(usual(flushed, [local(4), local(6)])).toEqual([
      ...restored,
      '6 rule add priority 32766 lookup main',
    ]);
    expect(usual(flushed, [...flushed.rules, local(4)])).toEqual(restored);
  });

  test.each<readonly [string, readonly PolicyRule[]]>([
    [
      'where they are there',
      [local(4), rule({ priority: 32_766, incomingInterface: undefined, table: 'main' })],
    ],
    [
      'where another rule shows that they are not wanted',
      [local(4), rule({ priority: 100, table: '52' })],
    ],
  ])('are left alone %s', (_claim, rules) => {
    expect(usual(undefined, rules)).toEqual([]);
  });

  test('are left alone at tear-down', () => {
    expect(usual(noRouting, [local(4), local(6)])).toEqual([]);
  });
});

describe('tear-down', () => {
  test('removes everything from the two tables, whatever it is, and the rules that lead to them', () => {
    const rules = [
      rule({}),
      rule({ incomingInterface: undefined }),
      rule({ family: 6, priority: 5181, table: '51821' }),
    ];
    const routes = [
      route({}),
      route({ destination: '10.0.0.0/8', interface: undefined }),
      route({
        family: 6,
        table: '51821',
        type: 'blackhole',
        destination: 'fe80::/64',
        interface: undefined,
      }),
    ];
    expect(plan(noRouting, { rules, routes })).toEqual([
      '4 rule delete priority 5182 iif eth0 lookup 51820',
      '4 rule delete priority 5182 lookup 51820',
      '6 rule delete priority 5181 iif eth0 lookup 51821',
      '4 route delete default dev tributary0 table 51820',
      '4 route delete 10.0.0.0/8 table 51820',
      '6 route delete blackhole fe80::/64 table 51821',
    ]);
  });

  test.each<readonly [string, Partial<Routing>]>([
    ['a rule of another priority to a table of ours', { rules: [rule({ priority: 100 })] }],
    [
      'a rule of another priority to the fence',
      { rules: [rule({ priority: 100, table: '51821' })] },
    ],
    [
      'a rule of our priority to another table',
      { rules: [rule({ table: '99' }), rule({ priority: 5181, table: '99' })] },
    ],
    ['a rule that mixes ours', { rules: [rule({ priority: 5181 }), rule({ table: '51821' })] }],
    ['a route in another table', { routes: [route({ table: '52' }), route({ table: 'main' })] }],
  ])('leaves %s alone', (_claim, observed) => {
    expect(plan(noRouting, observed)).toEqual([]);
  });
});

test('a reply route through another interface is replaced', () => {
  const desired = composeRouting(policy, carryHome(false));
  const whole: Routing = {
    ...bare,
    rules: desired.rules,
    routes: desired.routes.map((own) => route({ ...own, gateway: undefined, metric: 0 })),
  };
  expect(plan(desired, whole)).toEqual([]);
  const routes = whole.routes.map((own) =>
    own.type === 'unicast' ? { ...own, interface: 'wg9' } : own,
  );
  expect(plan(desired, { ...whole, routes })).toEqual([
    '4 route delete default dev wg9 table 51820',
    '4 route replace default dev tributary0 table 51820',
  ]);
});

test('a fence route of which the kernel names an interface is the same route', () => {
  const desired = composeRouting(policy, carryHome(true));
  const routes = desired.routes.map((own) =>
    route({ ...own, interface: own.type === 'unicast' ? 'tributary0' : 'lo' }),
  );
  expect(plan(desired, { rules: desired.rules, routes })).toEqual([]);
});

test('a detour is a route for what comes from consumers alone, and its gateway needs no route', () => {
  const detours = [
    { family: 4, interface: 'eth0', gateway: '192.168.1.1' },
    { family: 6, interface: 'eth0', gateway: 'fe80::1' },
  ] as const;
  const desired = composeRouting(policy, carryHome(true), detours);
  const usual = composeRouting(policy, carryHome(true));
  const found = (routes: typeof desired.routes) => ({
    rules: desired.rules,
    routes: routes.map((own) => route({ gateway: undefined, ...own, metric: 0 })),
  });
  expect(plan(desired, found(usual.routes))).toEqual([
    '4 route replace default via 192.168.1.1 dev eth0 onlink table 51821',
    '6 route replace default via fe80::1 dev eth0 onlink table 51821',
  ]);
  expect(plan(desired, found(desired.routes))).toEqual([]);
  const byNeighbour = [{ family: 4, interface: 'eth0', otherGateway: 'fe80::1' }] as const;
  expect(plan(composeRouting(policy, carryHome(true), byNeighbour), found(usual.routes))).toEqual([
    '4 route replace default via inet6 fe80::1 dev eth0 onlink table 51821',
  ]);
});
