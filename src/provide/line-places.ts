import { isInAny } from '../lib/addresses.ts';
import { tuning } from './household-tuning.ts';

/** Whom the delays on the line are measured to. */
export type LinePlace = 'first-hop' | 'tunnel-end' | 'service' | 'router';

/** Why delays are not measured by ping. */
export type PingProblem = 'missing' | 'not-allowed' | 'no-answer';

/** A place that is asked by ping. */
export interface PingPlace {
  readonly kind: Extract<LinePlace, 'first-hop' | 'tunnel-end'>;
  readonly address: string;
}

/** Routers on the way are looked for up to this distance. */
export const mostHops = 8;
/** A router may be silent, so the ones behind it are kept, too: this many in all. */
export const mostPlaces = 3;

/**
 * The addresses of homes, and of the host's and a container's own networks. 100.64.0.0/10 is a
 * carrier's: it lies on the other side of the line.
 */
const ofHomes = [
  '10.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::1/128',
  'fc00::/7',
  'fe80::/10',
] as const;

/** True for a router beyond the home's own, by its address. */
export function isBeyondHome(address: string): boolean {
  return !isInAny(address, ofHomes);
}

/**
 * Pure. The places to ask in turn: the first routers beyond the home's, then the tunnel's outer
 * end. `hops`: the addresses of routers on the way, the nearest first; a tunnel's end that is one
 * of them is asked as that.
 */
export function listPingPlaces(
  hops: readonly string[],
  tunnelEnd: string | undefined,
): readonly PingPlace[] {
  const found = [...new Set(hops)].filter((hop) => isBeyondHome(hop) && hop !== tunnelEnd);
  return [
    ...found.slice(0, mostPlaces).map((address) => ({ kind: 'first-hop' as const, address })),
    ...(tunnelEnd === undefined ? [] : [{ kind: 'tunnel-end' as const, address: tunnelEnd }]),
  ];
}

/** The least time (ms) between two connections to the service. */
export const connectEachMs = 5_000;

export interface LineUse {
  readonly loadBits: number;
  /** 0 while unknown. */
  readonly lineBits: number;
  /** What is left to sharing now; Infinity without a limit. */
  readonly rateBits: number;
}

/**
 * Pure. True where so much is shared that it is worth a connection to the service. What is left
 * counts as the line while sharing yields: otherwise it would never be seen that the household has
 * left.
 */
export function isWorthConnecting({ loadBits, lineBits, rateBits }: LineUse): boolean {
  return loadBits > tuning.quietPart * Math.min(lineBits || tuning.unknownLineBits, rateBits);
}
