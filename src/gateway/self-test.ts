import { isInAny, parsePrefix, toNetwork } from '../lib/addresses.ts';
import { type PortRange, parsePortRange } from '../lib/ports.ts';
import type { Family, Network } from '../system/ip.ts';
import type { SourceDevice } from './devices.ts';
import type { GatewayPolicy, RefusalCounter } from './policy.ts';
import { listStrictPorts } from './strict-ports.ts';
import { findWayOut } from './way-out.ts';

/*
 * The fence tests itself: packets of the agent's own come in through the tunnel's device, as a
 * consumer's do, and meet the same rules. The kernel marks them on their way. No packet from
 * outside carries the mark, so none can be mistaken for a probe.
 */

/**
 * What each probe tries to reach, and the counter of the rule that has to refuse it; undefined for
 * a probe that has to pass.
 */
export const expectations = {
  'this device': 'refused_host',
  'the home network': 'refused_own',
  'a metadata service': 'refused_special',
  'a blocked port': 'refused_port',
  'the Internet': undefined,
  "the home's public address": 'refused_own',
  'a risky port': 'refused_risky',
} as const satisfies Readonly<Record<string, RefusalCounter | undefined>>;

export type ProbeName = keyof typeof expectations;

/** One packet of the self-test. It is plain data, because it is part of the policy. */
export interface Probe {
  /** By which it comes in again, as a consumer's packet would. */
  readonly device: string;
  /** The device's place among the sources; tells one device's probes from another's. */
  readonly slot: number;
  readonly family: Family;
  readonly name: ProbeName;
  /** The address that the packet seems to come from; no network of this device has it. */
  readonly source: string;
  readonly destination: string;
  /** The UDP port that the packet is sent to. */
  readonly port: number;
}

export interface ProbeSources {
  readonly network: Pick<Network, 'interfaces' | 'routes' | 'ways'>;
  readonly uplink: string | undefined;
  readonly publicAddresses: readonly string[];
  readonly allowDestinations: readonly string[];
  readonly blockedPorts: GatewayPolicy['blockedPorts'];
  /** Every source's, in their order; those without families are not tried. */
  readonly devices: readonly ProbedDevice[];
}

/** A source's device, with the families that it carries. */
interface ProbedDevice extends Pick<SourceDevice, 'name' | 'consumers' | 'isStrict'> {
  readonly families: readonly Family[];
}

/**
 * Where the agent sends a probe to, to the port of its number; on the way it becomes what it tries.
 */
export function toProbeTarget({ family, slot }: Pick<Probe, 'family' | 'slot'>): string {
  return family === 4 ? `198.18.0.${slot + 1}` : `fd74:7269:6275::${(slot + 1).toString(16)}`;
}

const sources = {
  4: ['10.93.171.5', '172.27.171.5', '192.168.193.5'],
  6: ['fd74:7269:6275::5', 'fd75:7269:6275::5'],
} as const;
/** Public addresses; no packet is ever sent to them. */
const publicAddress = { 4: '1.1.1.1', 6: '2606:4700:4700::1111' } as const;
const metadataAddress = { 4: '169.254.169.254', 6: 'fd00:ec2::254' } as const;
const ordinaryPort = 443;

/** The probes of every device; none without an uplink, where nothing passes. */
export function planProbes(given: ProbeSources): readonly Probe[] {
  return given.devices.flatMap((device, slot) => planOfDevice(given, device, slot));
}

function planOfDevice(
  { network, uplink, ...owner }: ProbeSources,
  { name: device, consumers, families, isStrict }: ProbedDevice,
  slot: number,
): readonly Probe[] {
  const addresses = network.interfaces.flatMap((own) =>
    own.addresses.map((each) => ({ ...each, on: own.name })),
  );
  const networks = addresses.map(({ address, prefixLength }) => `${address}/${prefixLength}`);
  const blocked = listUdpPorts(owner.blockedPorts);
  const risky = isStrict ? listUdpPorts(listStrictPorts()) : [];
  const openPort = findOpenPort([...blocked, ...risky]);
  return families.flatMap((family): Probe[] => {
    const source = chooseSource(family, consumers, networks);
    const own = addresses.find(
      (each) => each.on === uplink && each.family === family && isGlobal(each.address),
    )?.address;
    const wayOut = findWayOut(network, uplink, family);
    const router = wayOut?.gateway;
    if (uplink === undefined || source === undefined) return [];
    const plan = (name: ProbeName, destination: string | undefined, port = openPort): Probe[] =>
      destination === undefined || port === undefined
        ? []
        : [{ device, slot, family, name, source, destination, port }];
    const outside = owner.publicAddresses.find(
      (address) => address.includes(':') === (family === 6),
    );
    const isRefused = ({ destination }: Probe) => !isInAny(destination, owner.allowDestinations);
    return [
      ...plan('this device', own),
      ...plan(
        'the home network',
        router !== undefined && isGlobal(router) ? router : undefined,
      ).filter(isRefused),
      ...plan("the home's public address", outside).filter(isRefused),
      ...plan('a metadata service', metadataAddress[family])
        .filter(isRefused)
        .filter(({ destination }) => !isInAny(destination, networks)),
      ...(blocked[0] === undefined
        ? []
        : plan('a blocked port', publicAddress[family], blocked[0].first)),
      ...plan(
        'a risky port',
        risky.length > 0 ? publicAddress[family] : undefined,
        risky.map(({ first }) => first).find((port) => !isInRange(port, blocked)),
      ),
      // Without a way out nothing gets there, and what is refused tests the fence all the same.
      ...plan('the Internet', wayOut === undefined ? undefined : publicAddress[family]),
    ];
  });
}

/** Whose packet a probe seems to be: one of the device's own consumers, where it has prefixes. */
function chooseSource(
  family: Family,
  consumers: readonly string[] | undefined,
  networks: readonly string[],
): string | undefined {
  if (consumers === undefined)
    return sources[family].find((address) => !isInAny(address, networks));
  const prefix = consumers.map(parsePrefix).find((own) => own?.family === family);
  if (prefix === undefined) return undefined;
  const start = toNetwork(prefix).replace(/\/\d+$/, '');
  const inside =
    family === 4 ? start.replace(/\d+$/, (last) => `${Number(last) | 5}`) : `${start}5`;
  return isInAny(inside, consumers) ? inside : start;
}

/** A port that is not blocked; undefined where all are blocked. */
function findOpenPort(blocked: readonly PortRange[]): number | undefined {
  const beside = blocked.flatMap(({ first, last }) => [first - 1, last + 1]);
  return [ordinaryPort, ...beside].find(
    (port) => port >= 1 && port <= 65_535 && !isInRange(port, blocked),
  );
}

function isInRange(port: number, ranges: readonly PortRange[]): boolean {
  return ranges.some(({ first, last }) => first <= port && port <= last);
}

/** Ranges of ports, of those that hold for UDP. */
function listUdpPorts(entries: readonly (number | string)[]): readonly PortRange[] {
  return entries
    .flatMap((entry) => parsePortRange(`${entry}`) ?? [])
    .filter(({ protocol }) => protocol !== 'tcp');
}

/**
 * False for addresses of a single link, which mean nothing elsewhere and are refused as special.
 */
function isGlobal(address: string): boolean {
  return !address.startsWith('fe80:');
}

/** The port of its target to which the agent sends a probe; the same for the same probe always. */
export function toProbeNumber({ family, name, slot }: ProbeIdentity): number {
  return slot * 100 + Object.keys(expectations).indexOf(name) * 10 + family;
}

export type ProbeIdentity = Pick<Probe, 'family' | 'name' | 'slot'>;

/**
 * The sets in which the kernel counts probes by their mark: those that came in through the tunnel's
 * device, and those that were not refused.
 */
export const probeSets = { arrived: 'probes_arrived', passed: 'probes_passed' } as const;

/**
 * Matches that tell probes from other packets: all probes, the ones that have to be refused, the
 * ones that have to pass.
 */
export const probeMark = {
  any: 'meta mark & 0xfffe0000 == 0x74720000',
  refused: 'meta mark & 0xffff0000 == 0x74720000',
  passing: 'meta mark & 0xffff0000 == 0x74730000',
} as const;

export function toProbeMark(probe: ProbeIdentity): number {
  return (
    (expectations[probe.name] === undefined ? 0x7473_0000 : 0x7472_0000) + toProbeNumber(probe)
  );
}
