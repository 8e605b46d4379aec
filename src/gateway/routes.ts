import { parsePrefix, toNetwork } from '../lib/addresses.ts';
import type { Family, IpCommand, Network, PolicyRule, Route } from '../system/ip.ts';
import type { Way } from '../system/ways.ts';
import type { SourceDevice } from './devices.ts';
import { type GatewayLayout, specialPrefixes } from './policy.ts';
import { toProbeTarget } from './self-test.ts';
import { type Gateways, nameWay } from './way-out.ts';

/** The routing table by which replies go back into the tunnel. */
const replyTable = '51820';
/**
 * The routing table of a second fence beside nft: packets from the tunnel find a route to the
 * public Internet only.
 */
const fenceTable = '51821';
const replyPriority = 5182;
const fencePriority = 5181;
const probePriority = 5180;

/** The routing that the gateway wants. Everything in its two tables belongs to it. */
export interface DesiredRouting {
  readonly rules: readonly PolicyRule[];
  readonly routes: readonly OwnRoute[];
}

type OwnRoute = Omit<Route, 'metric' | 'gateway' | 'otherGateway'> & Gateways;

/** The routing after tear-down: nothing in the two tables, and no rule that leads to them. */
export const noRouting = { rules: [], routes: [] } as const satisfies DesiredRouting;

const bothFamilies: readonly Family[] = [4, 6];

/** An existing device of a source, and the families that it carries. */
export interface CarryingDevice {
  readonly name: string;
  readonly families: readonly Family[];
}

/**
 * The fence needs no uplink, and stands for every device, there or not. Answers find their device
 * by the consumer's address: prefixes of one source's own lead to its device, all else to the one
 * that has none. No IPv6 leads to a device without it: a system without it refuses the route.
 * Detours are consumers' ways to the Internet, where this machine's own ones differ.
 */
export function composeRouting(
  policy: GatewayLayout,
  carrying: readonly CarryingDevice[],
  detours: readonly Way[] = [],
): DesiredRouting {
  const { devices, uplink } = policy;
  const replyRoutes = listReplyRoutes(devices, uplink === undefined ? [] : carrying);
  const replyFamilies = bothFamilies.filter((own) =>
    replyRoutes.some(({ family }) => family === own),
  );
  const fenceRule = { priority: fencePriority, table: fenceTable };
  const replyRule = { priority: replyPriority, incomingInterface: uplink, table: replyTable };
  // Probes that the agent sends leave by a source's device, where the kernel turns them round.
  const probeRule = { priority: probePriority, incomingInterface: 'lo', table: replyTable };
  return {
    rules: [
      ...devices.flatMap(({ name }) =>
        bothFamilies.map((family) => ({ ...fenceRule, incomingInterface: name, family })),
      ),
      ...replyFamilies.map((family) => ({ ...replyRule, family })),
      ...listProbedFamilies(devices, uplink === undefined ? [] : carrying).map((probed) => ({
        ...probeRule,
        family: probed.family,
        destination: toProbeTarget(probed),
      })),
    ],
    routes: [
      ...bothFamilies.flatMap((family) => listFenceRoutes(policy, family)),
      ...detours.map((way) => ({
        ...way,
        type: 'unicast',
        destination: 'default',
        table: fenceTable,
      })),
      ...replyRoutes,
    ],
  };
}

/** True where answers to consumers find this device, in one family at least. */
export function hasWayBack({ routes }: Pick<Network, 'routes'>, device: string): boolean {
  return routes.some(
    ({ table, type, interface: name }) =>
      table === replyTable && type === 'unicast' && name === device,
  );
}

/** Each existing device with its index among all devices, once for each family that it carries. */
function listProbedFamilies(
  devices: readonly SourceDevice[],
  carrying: readonly CarryingDevice[],
): readonly { readonly family: Family; readonly slot: number; readonly device: SourceDevice }[] {
  return devices.flatMap((device, slot) => {
    const families = carrying.find(({ name }) => name === device.name)?.families ?? [];
    return families.map((family) => ({ family, slot, device }));
  });
}

function listReplyRoutes(
  devices: readonly SourceDevice[],
  carrying: readonly CarryingDevice[],
): readonly OwnRoute[] {
  return listProbedFamilies(devices, carrying).flatMap(({ family, slot, device }) => {
    const way = { family, table: replyTable, type: 'unicast', interface: device.name };
    if (device.consumers === undefined) return [{ ...way, destination: 'default' }];
    const own = [...device.consumers, toProbeTarget({ family, slot })];
    return listDestinations(own, family).map((destination) => ({ ...way, destination }));
  });
}

/**
 * `ip` commands that make the observed routing the desired one; empty for a family that the kernel
 * lacks.
 */
export function planRouting(
  desired: DesiredRouting,
  { families, rules, routes }: Pick<Network, 'families' | 'rules' | 'routes'>,
): readonly IpCommand[] {
  const ownRules = rules.filter(isOwnRule).map(nameRule);
  const ownRoutes = routes
    .filter(({ table }) => table === replyTable || table === fenceTable)
    .map(nameRoute);
  const desiredRules = desired.rules.map(nameRule);
  const desiredRoutes = desired.routes.map(nameRoute);
  const commands = [
    // Fences are made first and ways through last. They are removed in the opposite order.
    ...planEach('rule delete', ownRules, desiredRules),
    ...planEach('route delete', ownRoutes, desiredRoutes),
    ...planEach('route replace', desiredRoutes, ownRoutes),
    ...planEach('rule add', desiredRules, ownRules),
    ...(desired.rules.length === 0
      ? []
      : families.flatMap((family) => planUsualRules(family, rules))),
  ];
  return commands.filter(({ family }) => families.includes(family));
}

/** The action for each entry that is missing among the others. */
function planEach(
  action: string,
  items: readonly IpCommand[],
  others: readonly IpCommand[],
): readonly IpCommand[] {
  const known = new Set(others.map(({ family, line }) => `${family} ${line}`));
  const missing = items.filter(({ family, line }) => !known.has(`${family} ${line}`));
  return missing.map(({ family, line }) => ({ family, line: `${action} ${line}` }));
}

/**
 * Adds the usual rules again after someone's `ip rule flush` removed them with ours: without them
 * the device has no routes at all. If other rules are left, the device's routing is not touched.
 */
function planUsualRules(family: Family, rules: readonly PolicyRule[]): readonly IpCommand[] {
  const others = rules.filter((rule) => rule.family === family && !isOwnRule(rule));
  if (others.length === 0 || others.some(({ table }) => table !== 'local')) return [];
  const usual = [
    ...(family === 4 ? ['priority 32767 lookup default'] : []),
    'priority 32766 lookup main',
  ];
  return usual.map((rule) => ({ family, line: `rule add ${rule}` }));
}

/**
 * The routes of the fence. A `throw` route leaves the table for the next rule: it is for the
 * owner's exceptions, which are more specific than the blocked prefix around them.
 */
function listFenceRoutes(policy: GatewayLayout, family: Family): readonly OwnRoute[] {
  const denied = listDestinations(policy.denyDestinations, family);
  const allowed = new Set(
    listDestinations(policy.allowDestinations, family).filter((own) => !denied.includes(own)),
  );
  const refused = [
    ...(family === 4 ? specialPrefixes.v4 : specialPrefixes.v6),
    ...policy.ownPrefixes,
    ...denied,
  ];
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
  const parsed = prefixes
    .flatMap((text) => parsePrefix(text) ?? [])
    .filter((prefix) => prefix.family === family);
  return [...new Set(parsed.map(toNetwork))];
}

/**
 * True for a rule of ours. The priority counts too, because a wg-quick beside us uses a table of
 * the same number.
 */
function isOwnRule(rule: PolicyRule): boolean {
  const own = rule.table === replyTable ? [replyPriority, probePriority] : [fencePriority];
  return (rule.table === replyTable || rule.table === fenceTable) && own.includes(rule.priority);
}

/** The rule in the words of `ip`, without the verb. */
function nameRule({
  family,
  priority,
  incomingInterface,
  destination,
  table,
}: PolicyRule): IpCommand {
  const incoming = incomingInterface === undefined ? '' : ` iif ${incomingInterface}`;
  const to = destination === undefined ? '' : ` to ${destination}`;
  return { family, line: `priority ${priority}${incoming}${to} lookup ${table}` };
}

/**
 * The route in the words of `ip`. The kernel lists an interface for a `blackhole` too, which is
 * left out.
 */
function nameRoute(route: OwnRoute): IpCommand {
  const { family, type, destination, table } = route;
  const isWay = type === 'unicast';
  const place = `${destination}${isWay ? nameWay(route) : ''} table ${table}`;
  return { family, line: isWay ? place : `${type} ${place}` };
}
