import { isInAny } from '../lib/addresses.ts';
import { type PortRange, parsePortRange } from '../lib/ports.ts';
import type { Family, Network } from '../system/ip.ts';
import type { NftTable } from '../system/nft.ts';
import type { GatewayPolicy, RefusalCounter } from './policy.ts';

/*
 * The fence tries itself: packets of the agent's own come in again through the tunnel's device, as
 * a consumer's do, and meet the same rules. The kernel marks them on their way, which no packet
 * from outside is: nobody else's counts as one.
 */

/**
 * What each probe tries to reach, and the counter of the rule that has to refuse it; undefined: it
 * has to pass.
 */
const expectations = {
  'this device': 'refused_host',
  'the home network': 'refused_own',
  'a metadata service': 'refused_special',
  'a blocked port': 'refused_port',
  'the Internet': undefined,
  "the home's public address": 'refused_own',
} as const satisfies Readonly<Record<string, RefusalCounter | undefined>>;

type ProbeName = keyof typeof expectations;

/** One packet of the self-test. Data alone: it is part of the policy. */
export interface Probe {
  readonly family: Family;
  readonly name: ProbeName;
  /** Whose packet it seems to be: an address of no network that this device is in. */
  readonly source: string;
  readonly destination: string;
  /** UDP. */
  readonly port: number;
}

export interface ProbeSources {
  readonly network: Pick<Network, 'interfaces' | 'routes'>;
  readonly uplink: string | undefined;
  readonly publicAddresses: readonly string[];
  readonly allowDestinations: readonly string[];
  readonly blockedPorts: GatewayPolicy['blockedPorts'];
  readonly hasIpv6: boolean;
}

/**
 * Where the agent sends them to, each to the port of its number; on the way they become what they
 * try.
 */
export const probeTarget = { 4: '198.18.0.1', 6: 'fd74:7269:6275::1' } as const;

const sources = {
  4: ['10.93.171.5', '172.27.171.5', '192.168.193.5'],
  6: ['fd74:7269:6275::5', 'fd75:7269:6275::5'],
} as const;
/** Public addresses; nothing is ever sent there. */
const publicAddress = { 4: '1.1.1.1', 6: '2606:4700:4700::1111' } as const;
const metadataAddress = { 4: '169.254.169.254', 6: 'fd00:ec2::254' } as const;
const ordinaryPort = 443;

/** The probes for a device; none without an uplink, where nothing passes. */
export function planProbes({ network, uplink, hasIpv6, ...owner }: ProbeSources): readonly Probe[] {
  const addresses = network.interfaces.flatMap((own) =>
    own.addresses.map((each) => ({ ...each, on: own.name })),
  );
  const networks = addresses.map(({ address, prefixLength }) => `${address}/${prefixLength}`);
  const families: readonly Family[] = hasIpv6 ? [4, 6] : [4];
  const ranges = owner.blockedPorts.flatMap((entry) => parsePortRange(`${entry}`) ?? []);
  const blocked = ranges.filter(({ protocol }) => protocol !== 'tcp');
  const openPort = findOpenPort(blocked);
  return families.flatMap((family): Probe[] => {
    const source = sources[family].find((address) => !isInAny(address, networks));
    const own = addresses.find(
      (each) => each.on === uplink && each.family === family && isGlobal(each.address),
    )?.address;
    const router = network.routes.find(
      (route) =>
        route.family === family && route.destination === 'default' && route.interface === uplink,
    )?.gateway;
    if (uplink === undefined || source === undefined) return [];
    const plan = (name: ProbeName, destination: string | undefined, port = openPort): Probe[] =>
      destination === undefined || port === undefined
        ? []
        : [{ family, name, source, destination, port }];
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
      ...plan('the Internet', publicAddress[family]),
    ];
  });
}

/** A port that is not blocked; undefined: all are. */
function findOpenPort(blocked: readonly PortRange[]): number | undefined {
  const beside = blocked.flatMap(({ first, last }) => [first - 1, last + 1]);
  return [ordinaryPort, ...beside].find(
    (port) =>
      port >= 1 &&
      port <= 65_535 &&
      !blocked.some(({ first, last }) => first <= port && port <= last),
  );
}

/** Addresses of the link alone mean nothing elsewhere, and are refused as special. */
function isGlobal(address: string): boolean {
  return !address.startsWith('fe80:');
}

/** The port of its target to which the agent sends a probe; the same for the same probe always. */
export function toProbeNumber({ family, name }: Pick<Probe, 'family' | 'name'>): number {
  return Object.keys(expectations).indexOf(name) * 10 + family;
}

/**
 * Sets in which the kernel counts probes by their mark: what came in through the tunnel's device,
 * what was not refused.
 */
export const probeSets = { arrived: 'probes_arrived', passed: 'probes_passed' } as const;

/**
 * What tells probes from everything else: all of them, those that have to be refused, those that
 * have to pass.
 */
export const probeMark = {
  any: 'meta mark & 0xfffe0000 == 0x74720000',
  refused: 'meta mark & 0xffff0000 == 0x74720000',
  passing: 'meta mark & 0xffff0000 == 0x74730000',
} as const;

export function toProbeMark(probe: Pick<Probe, 'family' | 'name'>): number {
  return (
    (expectations[probe.name] === undefined ? 0x7473_0000 : 0x7472_0000) + toProbeNumber(probe)
  );
}

/**
 * Packets that the rules refused because the agent tried them, by counter: no consumer sent these.
 */
export function countRefusedProbes(table: NftTable): ReadonlyMap<RefusalCounter, number> {
  const counts = new Map<RefusalCounter, number>();
  for (const name of Object.keys(expectations) as ProbeName[]) {
    // Without a permit nothing passes.
    const counter = expectations[name] ?? 'refused_closed';
    for (const family of [4, 6] as const) {
      const refused =
        readCount(table, { family, name }, 'arrived') -
        readCount(table, { family, name }, 'passed');
      counts.set(counter, (counts.get(counter) ?? 0) + refused);
    }
  }
  return counts;
}

/**
 * Worst first. `leaking`: what must be refused passed; `lost`: a probe never came; `stuck`: what
 * must pass did not.
 */
export type SelfTestResult =
  | { readonly kind: 'held' }
  | { readonly kind: 'leaking' | 'lost' | 'stuck'; readonly probes: readonly Probe[] };

export interface SelfTestReadings {
  readonly before: NftTable | undefined;
  readonly after: NftTable;
  /** The permit lived from the one to the other. */
  readonly isOpen: boolean;
}

/** Judges probes that were sent between two readings of the kernel's counts. */
export function judgeSelfTest(
  probes: readonly Probe[],
  { before, after, isOpen }: SelfTestReadings,
): SelfTestResult {
  // A count that fell belongs to a new table.
  const hasGrown = (probe: Probe, what: keyof typeof probeSets) => {
    const now = readCount(after, probe, what);
    return now > 0 && now !== (before && readCount(before, probe, what));
  };
  const isToPass = ({ name }: Probe) => expectations[name] === undefined;
  const found = {
    leaking: probes.filter((probe) => !isToPass(probe) && hasGrown(probe, 'passed')),
    lost: probes.filter((probe) => !hasGrown(probe, 'arrived')),
    stuck: probes.filter((probe) => isToPass(probe) && isOpen && !hasGrown(probe, 'passed')),
  };
  for (const kind of ['leaking', 'lost', 'stuck'] as const) {
    if (found[kind].length > 0) return { kind, probes: found[kind] };
  }
  return { kind: 'held' };
}

function readCount(
  table: NftTable,
  probe: Pick<Probe, 'family' | 'name'>,
  what: keyof typeof probeSets,
): number {
  return table.elementPackets.get(`${probeSets[what]}/${toProbeMark(probe)}`) ?? 0;
}
