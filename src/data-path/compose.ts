import { isIPv4, isIPv6 } from 'node:net';
import { toCeilings } from '../gateway/ceilings.ts';
import type { DeniedPolicy } from '../gateway/denied.ts';
import {
  deniedTableName,
  type ForwardedTotals,
  type GatewayLayout,
  type GatewayPolicy,
  type LinePolicy,
} from '../gateway/policy.ts';
import { planProbes } from '../gateway/self-test.ts';
import {
  chooseUplink,
  findCollision,
  listAddresses,
  listHomePrefixes,
  listOwnPrefixes,
} from '../gateway/uplink.ts';
import { includesIpv6 } from '../lib/addresses.ts';
import { chooseConsumerPorts } from '../lib/ports.ts';
import { fitTunnel } from '../source/wireguard/fit.ts';
import { type DesiredTunnel, defaultMtu } from '../source/wireguard/state.ts';
import type { NftTable } from '../system/nft.ts';
import { bestWay, type LineWay, type LineWish } from './line-shaper.ts';
import type { ObservedHost } from './observe.ts';
import type { DesiredDataPath, WantedLine } from './state.ts';

/**
 * What is wanted, fitted to the machine that was observed. A pass makes it, and `tributary plan`
 * shows it.
 */
export function composeDataPath(desired: DesiredDataPath, observed: ObservedHost) {
  const { network, table, isIpv6On, room, localPorts } = observed;
  const tunnelInterface = desired.tunnel.interface;
  const uplink = chooseUplink(network, { configured: desired.configuredUplink, tunnelInterface });
  const ownPrefixes = listOwnPrefixes(network.interfaces, tunnelInterface);
  const uplinkMtu = network.interfaces.find(({ name }) => name === uplink)?.mtu;
  const { tunnel: fitting, missing } = fitTunnel(desired.tunnel, { hasIpv6: isIpv6On, uplinkMtu });
  const spec = fitting.kind === 'present' ? fitting.spec : undefined;
  const addresses = spec?.addresses.map((own) => own.address) ?? [];
  const hasIpv6 = includesIpv6(addresses);
  // What an earlier process learnt holds until this one has asked.
  const publicAddresses = desired.publicAddresses ?? table?.sets.get('own4')?.filter(isIPv4) ?? [];
  const collision = findCollision(addresses, ownPrefixes);
  const possible: DesiredTunnel =
    collision === undefined ? fitting : { kind: 'absent', interface: tunnelInterface };
  const layout: GatewayLayout = {
    ...desired.gateway,
    connections: toCeilings(room, desired.gateway.connections),
    tunnelInterface,
    uplink,
    uplinkAddresses: listAddresses(network.interfaces, uplink),
    endpoint: toEndpoint(possible),
    isTunnelThere:
      possible.kind !== 'absent' && network.interfaces.some((own) => own.name === tunnelInterface),
    consumerPorts: chooseConsumerPorts(localPorts),
    tunnelMtu: spec?.mtu ?? defaultMtu,
    ownPrefixes: [
      ...ownPrefixes,
      ...listHomePrefixes(network.interfaces, tunnelInterface),
      ...publicAddresses,
    ],
    probes: spec
      ? planProbes({ network, uplink, hasIpv6, publicAddresses, ...desired.gateway })
      : [],
    line: planLine(desired.line, bestWay, table),
  };
  const denied: DeniedPolicy = {
    table: deniedTableName,
    interface: tunnelInterface,
    lists: desired.denied,
  };
  return { layout, denied, missing, collision, possible };
}

/** The wanted firewall, and what it depends on besides the layout. */
export interface DesiredTable
  extends Pick<DesiredDataPath, 'totals' | 'stopAtBytes' | 'newUntilBytes'> {
  readonly layout: GatewayLayout;
}

/** The policy for a kernel that has counted these totals. */
export function planPolicy(
  { layout, stopAtBytes, newUntilBytes }: DesiredTable,
  { up, down }: ForwardedTotals,
): GatewayPolicy {
  const countTo = (total: number | undefined) =>
    total && Math.max(0, total - up.bytes - down.bytes);
  return {
    ...layout,
    remainingBytes: countTo(stopAtBytes),
    remainingNewBytes: countTo(newUntilBytes),
  };
}

/**
 * What the rules do for the line when it is held in this way. `table` shows which consumers have a
 * class now.
 */
export function planLine(
  { limitBits, isHouseholdFirst, isLowPriority }: WantedLine,
  way: LineWay,
  table: NftTable | undefined,
): LinePolicy {
  const consumers = ['classes4', 'classes6'].flatMap((name) => table?.sets.get(name) ?? []);
  // A queue that tells connections apart does so within each class, so no class for each connection
  // is needed.
  const isOfConnection = way?.leaf === 'bfifo' && consumers.length === 1;
  const isShaped = way !== undefined && (isHouseholdFirst || limitBits !== undefined);
  return {
    classOf: isShaped ? (isOfConnection ? 'connection' : 'consumer') : undefined,
    dropAboveBits: way === undefined ? limitBits : undefined,
    floodBits: limitBits && limitBits / 2,
    isLowPriority,
  };
}

/**
 * Bytes of IP, UDP and WireGuard around a packet. The frame's own bytes count on the uplink, where
 * the kernel sees them.
 */
const overheadBytes = { ip: 60, ip6: 80 } as const;

/** Where the line is held; undefined where no traffic can cross it. */
export function planLineWish(
  layout: GatewayLayout,
  limitBits: number | undefined,
): LineWish | undefined {
  const { tunnelInterface, uplink, endpoint } = layout;
  if (uplink === undefined) return undefined;
  return {
    tunnelInterface,
    uplink,
    limitBits,
    overheadBytes: overheadBytes[endpoint?.protocol ?? 'ip'],
  };
}

function toEndpoint(tunnel: DesiredTunnel): GatewayPolicy['endpoint'] {
  const [, address, port] =
    /^\[?(.+?)\]?:(\d+)$/.exec(tunnel.kind === 'present' ? tunnel.endpoint : '') ?? [];
  return address === undefined
    ? undefined
    : { protocol: isIPv6(address) ? 'ip6' : 'ip', address, port: Number(port) };
}
