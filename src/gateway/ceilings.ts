import type { ConnectionRoom } from '../system/sysctl.ts';

/** What consumers may keep open, and how fast they may open it. 0: no such ceiling. */
export interface Ceilings {
  /** Connections that each consumer's address (IPv6: its /64) has to itself. */
  readonly perConsumer: number;
  readonly total: number;
  /** New connections per second that each address has to itself. */
  readonly newPerSecond: number;
  /** TCP connections of each address that wait for their first answer. */
  readonly halfOpen: number;
}

/** What the owner decided; the machine decides the rest. */
export type GivenCeilings = { readonly [Name in keyof Ceilings]?: number | undefined };

/** More than home routers usually translate would take the household's own connections away. */
const mostInAll = 8192;

/**
 * The owner's ceilings, else the machine's: half of what the kernel tracks, so that the rest has
 * the other half.
 */
export function toCeilings(room: ConnectionRoom, given: GivenCeilings = {}): Ceilings {
  const tracked = room.conntrackMax ?? Number.POSITIVE_INFINITY;
  const usual = Math.floor(Math.min(mostInAll, tracked / 2, room.memoryBytes / (256 * 1024)));
  const total = Math.min(given.total ?? usual, tracked);
  const shared = total === 0 ? usual : total;
  const perConsumer = given.perConsumer ?? atLeastOne(shared / 16);
  return {
    total,
    perConsumer,
    newPerSecond: given.newPerSecond ?? atLeastOne(shared / 128),
    halfOpen: given.halfOpen ?? atLeastOne((perConsumer === 0 ? shared / 16 : perConsumer) / 2),
  };
}

/**
 * What all share beside their own part, in such parts: a greedy consumer, or a translating proxy,
 * has 5 of the 16.
 */
export const sharedParts = 4;
/**
 * The kernel walks a list of connections for each new one: many short lists cost a fraction of a
 * long one.
 */
const listLength = 128;
/**
 * A connection attempt whose answer has not come by then no longer counts; the kernel forgets it at
 * the same time.
 */
export const answerSeconds = 10;

/** Matches the first packet of a connection that would be one too many. */
export function renderNewCount(set: string, most: number): string {
  return `ct state new ct status & confirmed != confirmed ${renderCount(set, most)}`;
}

/** Connections are dealt out to lists in turn, each of which holds its part. */
export function renderCount(set: string, most: number): string {
  const lists = Math.max(1, Math.ceil(most / listLength));
  return `add @${set} { numgen inc mod ${lists} ct count over ${Math.floor(most / lists)} }`;
}

function atLeastOne(count: number): number {
  return Math.max(1, Math.floor(count));
}
