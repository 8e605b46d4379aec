import { parsePrefix, toNetwork } from '../lib/addresses.ts';
import type { Family, IpCommand, Network, PolicyRule, Route } from '../system/ip.ts';
import { type GatewayLayout, specialPrefixes } from './policy.ts';
import { probeTarget } from './self-test.ts';

/** Where replies find their way back into the tunnel. */
const replyTable = '51820';
/** A second fence beside nft: what comes from the tunnel finds no route to anywhere but the public Internet. */
const fenceTable = '51821';
const replyPriority = 5182;
const fencePriority = 5181;
const probePriority = 5180;

/** Routing as the gateway wants it; everything in the two tables is its own. */
export interface DesiredRouting {
  readonly rules: readonly PolicyRule[];
  readonly routes: readonly OwnRoute[];
}

type OwnRoute = Omit<Route, 'gateway' | 'metric'>;
type OfFamily = Pick<OwnRoute, 'family'>;

/** Tear-down: nothing in the two tables, and no rule that leads to them. */
export const noRouting: DesiredRouting = { rules: [], routes: [] };

const bothFamilies: readonly Family[] = [4, 6];

/** The fence needs no uplink. Without IPv6 in the tunnel no IPv6 leads there: a system without it refuses the route. */
export function composeRouting(policy: GatewayLayout, { hasIpv6 }: { readonly hasIpv6: boolean }): DesiredRouting {
  const { tunnelInterface, uplink } = policy;
  const replyFamilies = uplink === undefined ? [] : bothFamilies.filter((family) => family === 4 || hasIpv6);
  const fenceRule = { priority: fencePriority, incomingInterface: tunnelInterface, table: fenceTable };
  const replyRule = { priority: replyPriority, incomingInterface: uplink, table: replyTable };
  // What the agent sends to try the fence leaves by the tunnel, where it is turned round.
  const probeRule = { priority: probePriority, incomingInterface: 'lo', table: replyTable };
  const replyRoute = { table: replyTable, type: 'unicast', destination: 'default', interface: tunnelInterface };
  return {
    rules: [
      ...bothFamilies.map((family) => ({ ...fenceRule, family })),
      ...replyFamilies.map((family) => ({ ...replyRule, family })),
      ...replyFamilies.map((family) => ({ ...probeRule, family, destination: probeTarget[family] })),
    ],
    routes: [
      ...bothFamilies.flatMap((family) => listFenceRoutes(policy, family)),
      ...replyFamilies.map((family) => ({ ...replyRoute, family })),
    ],
  };
}

/** `ip` commands that make the observed routing the desired one; none for a family that the kernel lacks. */
export function planRouting(
  desired: DesiredRouting,
  { families, rules, routes }: Pick<Network, 'families' | 'rules' | 'routes'>,
): readonly IpCommand[] {
  const isKnown = ({ family }: OfFamily) => families.includes(family);
  const ownRules = rules.filter(isOwnRule);
  const ownRoutes = routes.filter((route) => route.table === replyTable || route.table === fenceTable);
  const desiredRules = desired.rules.filter(isKnown);
  const desiredRoutes = desired.routes.filter(isKnown);
  return [
    // Fences first, ways through last; taken down the other way round.
    ...without(ownRules, desiredRules, toRuleArgs).map(toCommand('rule delete', toRuleArgs)),
    ...without(ownRoutes, desiredRoutes, toRouteArgs).map(toCommand('route delete', toRouteArgs)),
    ...without(desiredRoutes, ownRoutes, toRouteArgs).map(toCommand('route replace', toRouteArgs)),
    ...without(desiredRules, ownRules, toRuleArgs).map(toCommand('rule add', toRuleArgs)),
    ...(desired.rules.length === 0 ? [] : families.flatMap((family) => planUsualRules(family, rules))),
  ];
}

function toCommand<T extends OfFamily>(action: string, toArgs: (item: T) => string) {
  return (item: T): IpCommand => ({ family: item.family, line: `${action} ${toArgs(item)}` });
}

/** What `ip` is told of them tells them apart. */
function without<T extends OfFamily>(items: readonly T[], others: readonly T[], toArgs: (item: T) => string) {
  const known = new Set(others.map((item) => `${item.family} ${toArgs(item)}`));
  return items.filter((item) => !known.has(`${item.family} ${toArgs(item)}`));
}

/** What `ip rule flush` took away with ours: without them this device has no routes at all. Others' own order is theirs. */
function planUsualRules(family: Family, rules: readonly PolicyRule[]): readonly IpCommand[] {
  const others = rules.filter((rule) => rule.family === family && !isOwnRule(rule));
  if (others.length === 0 || others.some(({ table }) => table !== 'local')) return [];
  const usual = [...(family === 4 ? ['priority 32767 lookup default'] : []), 'priority 32766 lookup main'];
  return usual.map((rule) => ({ family, line: `rule add ${rule}` }));
}

/** `throw` leaves the table for the next rule: the owner's exceptions, more specific than what they are cut from. */
function listFenceRoutes(policy: GatewayLayout, family: Family): readonly OwnRoute[] {
  const denied = listDestinations(policy.denyDestinations, family);
  const allowed = new Set(listDestinations(policy.allowDestinations, family).filter((own) => !denied.includes(own)));
  const refused = [...(family === 4 ? specialPrefixes.v4 : specialPrefixes.v6), ...policy.ownPrefixes, ...denied];
  const own = { family, table: fenceTable, interface: undefined };
  return [
    ...listDestinations(refused, family)
      .filter((destination) => !allowed.has(destination))
      .map((destination) => ({ ...own, type: 'blackhole', destination })),
    ...[...allowed].map((destination) => ({ ...own, type: 'throw', destination })),
  ];
}

/** Prefixes of one family, each once, as ip prints them (a single address bare). */
function listDestinations(prefixes: readonly string[], family: Family): readonly string[] {
  const networks = prefixes.flatMap((text) => {
    const prefix = parsePrefix(text);
    return prefix?.family === family ? [toNetwork(prefix)] : [];
  });
  return [...new Set(networks)];
}

/** The priority counts too: a wg-quick that runs beside us uses a table of the same number. */
function isOwnRule(rule: PolicyRule): boolean {
  const own = rule.table === replyTable ? [replyPriority, probePriority] : [fencePriority];
  return (rule.table === replyTable || rule.table === fenceTable) && own.includes(rule.priority);
}

function toRuleArgs(rule: PolicyRule): string {
  const incoming = rule.incomingInterface === undefined ? '' : ` iif ${rule.incomingInterface}`;
  const destination = rule.destination === undefined ? '' : ` to ${rule.destination}`;
  return `priority ${rule.priority}${incoming}${destination} lookup ${rule.table}`;
}

function toRouteArgs(route: OwnRoute): string {
  const type = route.type === 'unicast' ? '' : `${route.type} `;
  const device = route.type === 'unicast' && route.interface !== undefined ? ` dev ${route.interface}` : '';
  return `${type}${route.destination}${device} table ${route.table}`;
}
