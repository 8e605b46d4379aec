import { expect, test } from 'vitest';
import { planDeadEnd } from '../../../src/namespace/dead-end.ts';
import type { PolicyRule, Route } from '../../../src/system/ip.ts';

const rule = (priority: number, table?: string, incomingInterface?: string): PolicyRule => ({
  family: 4,
  priority,
  incomingInterface,
  table,
});
const route = (table: string, type: string, destination: string, name?: string): Route => ({
  family: 4,
  table,
  type,
  destination,
  interface: name,
  gateway: undefined,
  metric: 0,
});

const usualRules = [rule(0, 'local'), rule(32_766, 'main'), rule(32_767, 'default')];
const usualRoutes = [
  route('local', 'local', '192.168.1.7', 'eth0'),
  route('main', 'unicast', 'default', 'eth0'),
];
const link = '198.18.213.0/30';
const ways = [
  `route replace ${link} dev tributary-host table 51819`,
  'route replace blackhole default table 51819',
];
const wayRoutes = [
  route('51819', 'unicast', link, 'tributary-host'),
  route('51819', 'blackhole', 'default', 'lo'),
];
const plan = (switched: readonly string[], rules = usualRules, routes = usualRoutes) =>
  planDeadEnd({ network: link, switched }, { rules, routes });

test('what comes in by a switched interface finds the namespace alone, once', () => {
  expect(plan(['eth0'])).toEqual([...ways, 'rule add priority 5179 iif eth0 lookup 51819']);
  const own = rule(5179, '51819', 'eth0');
  expect(plan(['eth0'], [own, ...usualRules], [...wayRoutes, ...usualRoutes])).toEqual([]);
});

test('it follows the uplink, and the former one for as long as that is remembered', () => {
  const rules = [rule(5179, '51819', 'eth0'), ...usualRules];
  const routes = [...wayRoutes, ...usualRoutes];
  expect(plan(['eth0', 'br0'], rules, routes)).toEqual([
    'rule add priority 5179 iif br0 lookup 51819',
  ]);
  expect(plan(['br0'], rules, routes)).toEqual([
    'rule add priority 5179 iif br0 lookup 51819',
    'rule delete priority 5179 iif eth0 lookup 51819',
  ]);
});

test('another network of the link replaces the one before', () => {
  const before = route('51819', 'unicast', '198.19.213.0/30', 'tributary-host');
  const rules = [rule(5179, '51819', 'eth0'), ...usualRules];
  expect(plan(['eth0'], rules, [before, ...wayRoutes.slice(1), ...usualRoutes])).toEqual([
    ways[0],
    'route delete 198.19.213.0/30 dev tributary-host table 51819',
  ]);
});

test('the rules go before the routes, and nothing is left', () => {
  const rules = [rule(5179, '51819', 'eth0'), ...usualRules];
  expect(planDeadEnd(undefined, { rules, routes: [...wayRoutes, ...usualRoutes] })).toEqual([
    'rule delete priority 5179 iif eth0 lookup 51819',
    `route delete ${link} dev tributary-host table 51819`,
    'route delete blackhole default table 51819',
  ]);
  expect(planDeadEnd(undefined, { rules: usualRules, routes: usualRoutes })).toEqual([]);
});

const delivered = route('100', 'local', 'default', 'lo');
const led = route('100', 'unicast', 'default', 'wg0');

test.each<[string, number, readonly PolicyRule[], readonly Route[]]>([
  ["before the owner's rules, such as a VPN's", 98, [rule(99, 'main'), rule(100, '100')], [led]],
  ['after a rule that delivers to this host', 32_766, [rule(32_765, '100')], [delivered]],
  ['wherever the rule for this host lies', 5301, [rule(5300, 'local')], []],
  ['whatever refuses before', 5179, [rule(7)], []],
  ['never before the rule for this host', 1, [rule(1, '100')], [led]],
])('its place is %s', (_, priority, rules, routes) => {
  const [, , line] = plan(['eth0'], [...usualRules, ...rules], [...usualRoutes, ...routes]);
  expect(line).toBe(`rule add priority ${priority} iif eth0 lookup 51819`);
});

test('it moves to before a rule that comes later', () => {
  const rules = [rule(5179, '51819', 'eth0'), rule(5178, '100'), ...usualRules];
  expect(plan(['eth0'], rules, [...wayRoutes, ...usualRoutes, led])).toEqual([
    'rule add priority 5177 iif eth0 lookup 51819',
    'rule delete priority 5179 iif eth0 lookup 51819',
  ]);
});
