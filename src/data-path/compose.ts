import { isIPv4 } from 'node:net';
import { toCeilings } from '../gateway/ceilings.ts';
import type { DeniedPolicy } from '../gateway/denied.ts';
import type { SourceDevice } from '../gateway/devices.ts';
import {
  badMark,
  deniedMark,
  deniedTableName,
  type ForwardedTotals,
  type GatewayLayout,
  type GatewayPolicy,
  specialPrefixes,
} from '../gateway/policy.ts';
import { planProbes } from '../gateway/self-test.ts';
import { hasStrictRules } from '../gateway/strictness.ts';
import {
  chooseUplink,
  findCollision,
  listAddresses,
  listHomePrefixes,
  listOwnPrefixes,
  listRoutedPrefixes,
  listTunnelEnds,
} from '../gateway/uplink.ts';
import { listDetours } from '../gateway/way-out.ts';
import { includesIpv6, isInAny } from '../lib/addresses.ts';
import { chooseConsumerPorts } from '../lib/ports.ts';
import {
  type FittedWish,
  type Ground,
  keepsDevice,
  type OuterEndpoint,
  type SourceDriver,
  type SourceWish,
  toPresent,
} from '../source/source.ts';
import type { Family, Interface } from '../system/ip.ts';
import type { Way } from '../system/ways.ts';
import { toAllowance } from './cap-quota.ts';
import { planLine } from './compose-line.ts';
import { bestWay } from './line-shaper.ts';
import type { ObservedHost } from './observe.ts';
import type { DesiredDataPath } from './state.ts';

/** A source on the machine that was found. */
export interface ComposedSource {
  readonly driver: SourceDriver;
  /** The part of its wish that is possible here. */
  readonly wish: SourceWish;
  readonly missing: FittedWish['missing'];
  /** The address or prefix that something else here has too: then there is no device. */
  readonly collision: string | undefined;
  /** Where it would end, if that is one of the home's own addresses: then there is no device. */
  readonly nearEnd: string | undefined;
  /** Bytes around each of its packets on the uplink. */
  readonly overheadBytes: number;
  readonly device: SourceDevice;
}

export interface ComposedDataPath {
  readonly sources: readonly ComposedSource[];
  readonly layout: GatewayLayout;
  readonly denied: DeniedPolicy;
  /** The ways to the Internet that consumers' packets are given, where the usual ones differ. */
  readonly detours: readonly Way[];
}

/**
 * What is wanted, fitted to the machine that was observed. A pass makes it, and `tributary plan`
 * shows it.
 */
export function composeDataPath(
  desired: DesiredDataPath,
  observed: ObservedHost,
  drivers: readonly SourceDriver[],
): ComposedDataPath {
  const { network, table, isIpv6On, room, localPorts } = observed;
  const devices = drivers.map(({ device }) => device);
  const uplink = chooseUplink(network, { configured: desired.configuredUplink, devices });
  const ownPrefixes = listOwnPrefixes(network.interfaces, devices);
  // What an earlier process learnt holds until this process has asked.
  const publicAddresses = desired.publicAddresses ?? table?.sets.get('own4')?.filter(isIPv4) ?? [];
  const home = [
    ...ownPrefixes,
    ...listRoutedPrefixes(network, devices),
    ...listHomePrefixes(network.interfaces, devices),
    ...publicAddresses,
  ];
  const uplinkMtu = network.interfaces.find(({ name }) => name === uplink)?.mtu;
  const sources = composeSources(desired.sources, drivers, {
    ground: { hasIpv6: isIpv6On, uplinkMtu },
    interfaces: network.interfaces,
    ownPrefixes,
    isNear: ({ address }) =>
      !isInAny(address, [...specialPrefixes.v4, ...specialPrefixes.v6]) &&
      isInAny(address, home) &&
      !isInAny(address, desired.gateway.allowDestinations),
    isStrict: (source) =>
      hasStrictRules(desired.strict.setting, { source, mode: desired.strict.mode }),
  });
  const layout: GatewayLayout = {
    ...desired.gateway,
    connections: toCeilings(room, desired.gateway.connections),
    devices: sources.map(({ device }) => device),
    uplink,
    uplinkAddresses: listAddresses(network.interfaces, uplink),
    consumerPorts: chooseConsumerPorts(localPorts, observed.listeningPorts),
    tunnelEnds: listTunnelEnds(network.interfaces),
    ownPrefixes: home,
    probes: planProbes({
      network,
      uplink,
      publicAddresses,
      devices: sources.map(({ device, wish }) => ({ ...device, families: listFamilies(wish) })),
      ...desired.gateway,
    }),
    line: planLine(desired.line, bestWay, table),
  };
  const denied: DeniedPolicy = {
    table: deniedTableName,
    groups: [
      {
        name: 'bad',
        mark: badMark,
        devices: layout.devices.filter(({ isStrict }) => isStrict).map(({ name }) => name),
        lists: desired.badAddresses,
        isHeldTwice: false,
      },
      { name: 'denied', mark: deniedMark, devices, lists: desired.denied, isHeldTwice: true },
    ],
  };
  return { sources, layout, denied, detours: listDetours(network, uplink) };
}

/** The layout once every device that is wanted is made, but for those that could not be. */
export function withNewDevices(
  { layout, sources }: ComposedDataPath,
  absent: readonly string[],
): GatewayLayout {
  const devices = sources.map(({ device, wish }) => ({
    ...device,
    isThere: !absent.includes(device.name) && (device.isThere || toPresent(wish) !== undefined),
  }));
  return { ...layout, devices };
}

interface Surroundings {
  readonly ground: Ground;
  readonly interfaces: readonly Interface[];
  readonly ownPrefixes: readonly string[];
  /**
   * True for the home's own public addresses, where no service's end is. Private ones were judged
   * when the service's text was read.
   */
  readonly isNear: (end: OuterEndpoint) => boolean;
  readonly isStrict: (source: string) => boolean;
}

/** In the drivers' order; what an earlier one claims, a later one cannot have. */
function composeSources(
  wishes: readonly SourceWish[],
  drivers: readonly SourceDriver[],
  { ground, interfaces, ownPrefixes, isNear, isStrict }: Surroundings,
): readonly ComposedSource[] {
  const taken = [...ownPrefixes];
  return drivers.map((driver) => {
    const { device: name, consumers } = driver;
    const asked = wishes.find(({ device }) => device === name);
    const wanted: SourceWish = asked ?? { kind: 'absent', device: name };
    const { wish: fitting, missing } = driver.fit(wanted, ground);
    const claimed = listClaims(fitting, consumers);
    const collision = findCollision(claimed, taken);
    taken.push(...claimed);
    const outer = toPresent(fitting)?.outer;
    const nearEnd = outer !== undefined && isNear(outer) ? outer.address : undefined;
    const isRefused = collision !== undefined || nearEnd !== undefined;
    const wish: SourceWish = isRefused ? { kind: 'absent', device: name } : fitting;
    const present = toPresent(wish);
    return {
      driver,
      wish,
      missing,
      collision,
      nearEnd,
      overheadBytes: present?.overheadBytes ?? 0,
      device: {
        name,
        consumers,
        isThere: keepsDevice(wish) && interfaces.some((own) => own.name === name),
        mtu: present?.mtu ?? defaultMtu,
        isStrict: isStrict(driver.name),
        endpoint: present?.outer,
      },
    };
  });
}

/** In bytes; named to connections through a device whose own MTU is unknown. */
const defaultMtu = 1420;

function listClaims(wish: SourceWish, consumers: readonly string[] | undefined): readonly string[] {
  const present = toPresent(wish);
  return present === undefined
    ? []
    : [...present.addresses.map(({ address }) => address), ...(consumers ?? [])];
}

/** The families that a wish will carry; none where nothing is made. */
function listFamilies(wish: SourceWish): readonly Family[] {
  const present = toPresent(wish);
  return present === undefined ? [] : findFamilies(present.addresses.map(({ address }) => address));
}

/** IPv4 always; IPv6 where one of the device's addresses is. */
export function findFamilies(addresses: readonly string[]): readonly Family[] {
  return includesIpv6(addresses) ? [4, 6] : [4];
}

/** The wanted firewall, and what it depends on besides the layout. */
export interface DesiredTable
  extends Pick<
    DesiredDataPath,
    'totals' | 'stopAtBytes' | 'newUntilBytes' | 'mostPerByte' | 'unread'
  > {
  readonly layout: GatewayLayout;
}

/** The policy for a kernel that has counted these totals. */
export function planPolicy(
  { layout, stopAtBytes, newUntilBytes, mostPerByte = 1, unread }: DesiredTable,
  { up, down }: ForwardedTotals,
): GatewayPolicy {
  // What passed since lacks its headers, too.
  const since = unread === undefined ? 0 : sumBytes({ up, down }) - sumBytes(unread.at);
  const missing = (unread?.bytes ?? 0) + Math.ceil(Math.max(0, since) * (mostPerByte - 1));
  const countTo = (total: number | undefined) =>
    toAllowance(total, sumBytes({ up, down }) + missing, mostPerByte);
  return {
    ...layout,
    remainingBytes: countTo(stopAtBytes),
    remainingNewBytes: countTo(newUntilBytes),
  };
}

function sumBytes({ up, down }: ForwardedTotals): number {
  return up.bytes + down.bytes;
}
