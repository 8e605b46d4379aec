import { describe, expect, test } from 'vitest';
import { type GatewayPolicy, specialPrefixes } from '../../../src/gateway/policy.ts';
import { composeRouting, noRouting, planRouting } from '../../../src/gateway/routes.ts';
import type { Exec } from '../../../src/system/exec.ts';
import { applyIpCommands, observeRoutes, observeRules } from '../../../src/system/ip.ts';
import { createFakeHost, type FakeHost } from '../data-path/fake-host.ts';
import { carryHome, homePolicy } from './policy-fixture.ts';

interface Scenario {
  readonly name: string;
  readonly policy: GatewayPolicy | undefined;
  readonly hasIpv6: boolean;
}

const scenarios: readonly Scenario[] = [
  { name: 'a home', policy: homePolicy, hasIpv6: false },
  {
    name: 'a home with IPv6',
    policy: { ...homePolicy, ownPrefixes: ['192.168.1.0/24', 'fd00::/64'] },
    hasIpv6: true,
  },
  { name: 'another uplink', policy: { ...homePolicy, uplink: 'wlan0' }, hasIpv6: true },
  { name: 'no uplink', policy: { ...homePolicy, uplink: undefined }, hasIpv6: false },
  {
    name: 'exceptions',
    policy: {
      ...homePolicy,
      allowDestinations: ['192.0.2.0/24', '192.168.1.0/24', '192.168.1.7', '2001:db8::/32'],
    },
    hasIpv6: true,
  },
  {
    name: 'prefixes in odd spellings',
    policy: {
      ...homePolicy,
      ownPrefixes: ['10.1.2.3/8', '10.9.9.9/8', 'FD00:0::1/128', '::ffff:0:0/96'],
    },
    hasIpv6: false,
  },
  { name: 'nothing', policy: undefined, hasIpv6: false },
];

const bare = { families: [4, 6], rules: [], routes: [] } as const;

async function pass(host: FakeHost, scenario: Scenario, exec: Exec = host.exec): Promise<number> {
  const routes = [...(await observeRoutes(host.exec, 4)), ...(await observeRoutes(host.exec, 6))];
  const rules = [...(await observeRules(host.exec, 4)), ...(await observeRules(host.exec, 6))];
  const desired =
    scenario.policy === undefined
      ? noRouting
      : composeRouting(scenario.policy, carryHome(scenario.hasIpv6));
  const commands = planRouting(desired, { families: [4, 6], rules, routes });
  await applyIpCommands(exec, commands, 'test');
  return commands.length;
}

const pairs = scenarios.flatMap((from) =>
  scenarios.map((to) => ({ from, to, what: `${from.name}, then ${to.name}` })),
);

describe('routing', () => {
  test.each(pairs)('for $what needs nothing in a second pass', async ({ from, to }) => {
    const host = createFakeHost();
    await pass(host, from);
    await pass(host, to);
    expect(await pass(host, to)).toBe(0);
    const fresh = createFakeHost();
    await pass(fresh, to);
    expect(host.print()).toBe(fresh.print());
  });

  test.each(pairs)(
    'for $what, cut short after any line, ends the same with the next pass',
    async ({ from, to }) => {
      const whole = createFakeHost();
      await pass(whole, from);
      await pass(whole, to);
      for (let lines = 0; ; lines += 1) {
        const host = createFakeHost();
        await pass(host, from);
        host.breakAfterLines(lines);
        const isWhole = await pass(host, to).then(
          () => true,
          () => false,
        );
        host.breakAfterLines(undefined);
        await pass(host, to);
        expect(host.print()).toBe(whole.print());
        if (isWhole) break;
      }
    },
  );

  test('leaves the routes and rules of others alone', async () => {
    const foreign = [
      '4 route default dev eth0 table main',
      '4 rule 100 iif eth9 lookup 51820',
      '4 rule 5182 iif eth9 lookup 52',
      '6 rule 5181 iif eth9 lookup 52',
      '4 rule 5180 iif eth9 lookup 51821',
      '4 route 10.0.0.0/8 dev x table 52',
    ];
    const host = createFakeHost(foreign);
    for (const scenario of scenarios) await pass(host, scenario);
    expect(host.print().trim().split('\n')).toEqual([...foreign].sort());
  });

  test('puts the fence up before the way through, and keeps it up where there is no uplink', () => {
    const commands = planRouting(composeRouting(homePolicy, carryHome(true)), bare).map(
      ({ family, line }) => `${family} ${line}`,
    );
    const last = commands.findLastIndex((line) => line.includes('blackhole'));
    expect(commands.findIndex((line) => line.includes('lookup'))).toBeGreaterThan(last);
    expect(commands).toContain('4 route replace blackhole 192.168.1.0/24 table 51821');
    expect(commands).toContain('6 rule add priority 5182 iif eth0 lookup 51820');
    const closed = composeRouting({ ...homePolicy, uplink: undefined }, carryHome(true));
    expect(closed.rules.map((rule) => rule.table)).toEqual(['51821', '51821']);
    expect(closed.routes.some((route) => route.type === 'unicast')).toBe(false);
  });

  test('is, for a home with exceptions, what was reviewed', () => {
    const policy = {
      ...homePolicy,
      ownPrefixes: ['192.168.1.0/24', 'fd00::9/128', '203.0.113.9/32', 'fe80::1%eth0'],
      allowDestinations: ['198.51.100.0/24', '10.9.9.9', '2001:db8::/32'],
    };
    const { rules, routes } = composeRouting(policy, carryHome(true));
    expect(rules).toEqual([
      { family: 4, priority: 5181, incomingInterface: 'tributary0', table: '51821' },
      { family: 6, priority: 5181, incomingInterface: 'tributary0', table: '51821' },
      { family: 4, priority: 5182, incomingInterface: 'eth0', table: '51820' },
      { family: 6, priority: 5182, incomingInterface: 'eth0', table: '51820' },
      {
        family: 4,
        priority: 5180,
        incomingInterface: 'lo',
        destination: '198.18.0.1',
        table: '51820',
      },
      {
        family: 6,
        priority: 5180,
        incomingInterface: 'lo',
        destination: 'fd74:7269:6275::1',
        table: '51820',
      },
    ]);
    const listOf = (family: number, type: string) =>
      routes
        .filter((own) => own.family === family && own.type === type)
        .map(({ destination }) => destination);
    // Of the special prefixes the owner opens 198.51.100.0/24 and, of IPv6, 2001:db8::/32.
    expect(listOf(4, 'blackhole')).toEqual([
      ...specialPrefixes.v4.filter((prefix) => prefix !== '198.51.100.0/24'),
      '192.168.1.0/24',
      '203.0.113.9',
    ]);
    expect(listOf(6, 'blackhole')).toEqual([
      ...specialPrefixes.v6.filter((prefix) => prefix !== '2001:db8::/32'),
      'fd00::9',
    ]);
    expect(listOf(4, 'throw')).toEqual(['198.51.100.0/24', '10.9.9.9']);
    expect(listOf(6, 'throw')).toEqual(['2001:db8::/32']);
    expect(
      routes.filter(({ type }) => type !== 'unicast').every((own) => own.table === '51821'),
    ).toBe(true);
    expect(routes.filter(({ type }) => type === 'unicast')).toEqual([
      {
        family: 4,
        table: '51820',
        type: 'unicast',
        destination: 'default',
        interface: 'tributary0',
      },
      {
        family: 6,
        table: '51820',
        type: 'unicast',
        destination: 'default',
        interface: 'tributary0',
      },
    ]);
  });

  test('replaces what is left of another tunnel, uplink or program in its own tables', () => {
    const route = {
      family: 4,
      table: '51820',
      type: 'unicast',
      destination: 'default',
      gateway: undefined,
      metric: 0,
    } as const;
    const rule = { family: 4, priority: 5182, table: '51820' } as const;
    const observed = {
      families: [4, 6],
      rules: [
        { ...rule, incomingInterface: 'wlan9' },
        { ...rule, incomingInterface: undefined },
      ],
      routes: [
        { ...route, interface: 'old0' },
        { ...route, destination: '192.0.2.1', interface: undefined },
        { ...route, table: '51821', type: 'throw', destination: '192.0.2.9', interface: undefined },
      ],
    } as const;
    const lines = planRouting(composeRouting(homePolicy, carryHome(false)), observed).map(
      ({ line }) => line,
    );
    expect(lines.filter((line) => line.includes('delete'))).toEqual([
      'rule delete priority 5182 iif wlan9 lookup 51820',
      'rule delete priority 5182 lookup 51820',
      'route delete default dev old0 table 51820',
      'route delete 192.0.2.1 table 51820',
      'route delete throw 192.0.2.9 table 51821',
    ]);
    expect(lines).toContain('route replace default dev tributary0 table 51820');
    expect(lines).toContain('rule add priority 5182 iif eth0 lookup 51820');
    expect(planRouting(noRouting, observed).map(({ line }) => line)).toEqual(lines.slice(0, 5));
  });

  test('leads no IPv6 into a tunnel that has none', () => {
    const lines = planRouting(composeRouting(homePolicy, carryHome(false)), bare);
    expect(lines.filter(({ family, line }) => family === 6 && line.includes('51820'))).toEqual([]);
    expect(
      lines.filter(({ family, line }) => family === 6 && line.includes('blackhole')).length,
    ).toBeGreaterThan(5);
  });

  test('says nothing of IPv6 to a kernel that has none', () => {
    const lines = planRouting(composeRouting(homePolicy, carryHome(true)), {
      ...bare,
      families: [4],
    });
    expect(new Set(lines.map(({ family }) => family))).toEqual(new Set([4]));
    expect(lines).toEqual(
      planRouting(composeRouting(homePolicy, carryHome(true)), bare).filter(
        ({ family }) => family === 4,
      ),
    );
  });
});
