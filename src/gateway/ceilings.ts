import type { ConnectionRoom } from '../system/sysctl.ts';

/**
 * How many connections consumers may keep open, and how fast they may open them. 0 switches a
 * ceiling off.
 */
export interface Ceilings {
  /** Connections for each consumer's address alone; in IPv6 for each /64. */
  readonly perConsumer: number;
  readonly total: number;
  /** New connections per second for each address alone. */
  readonly newPerSecond: number;
  /** TCP connections of each address that may wait for their first answer. */
  readonly halfOpen: number;
}

/** The ceilings that the owner set; the others follow from the machine. */
export type GivenCeilings = { readonly [Name in keyof Ceilings]?: number | undefined };

/** More connections than home routers usually translate would leave none for the household. */
const mostInAll = 8192;

/**
 * The owner's ceilings; for the others half of what the kernel tracks, so that the rest of the
 * machine has the other half.
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
 * All consumers share this many sixteenths beside the one that each has alone, so a greedy
 * consumer, or a proxy behind which many are, gets up to 5 of 16.
 */
export const sharedParts = 4;
/**
 * Connections of one list in the kernel. It walks a list for each new connection, so many short
 * lists cost a fraction of a long one.
 */
const listLength = 128;
/**
 * Seconds after which an attempt without an answer no longer counts; the kernel forgets the
 * connection at the same time.
 */
export const answerSeconds = 10;

/**
 * Seconds after which the kernel forgets a connection, by protocol and state, so that unanswered
 * and dead ones do not hold a place for long.
 */
export const connectionSeconds = {
  udp: { unreplied: 10, replied: 30 },
  tcp: {
    syn_sent: answerSeconds,
    syn_recv: 2 * answerSeconds,
    // RFC 5382 asks for at least 7440, and five days are usual. After an hour of silence, though,
    // other connections need the place more.
    established: 3600,
  },
} as const;

/**
 * The first byte of the mark of a consumer's connection. The other bytes hold its slot while it
 * waits for an answer.
 */
export const consumerMark = '0x54000000';

/** Matches a packet of a connection that no consumer began. */
export const isNoConsumers = `ct mark & 0xff000000 != ${consumerMark}`;

/** Matches the first packet of a connection that would exceed the ceiling. */
export function renderNewCount(set: string, most: number): string {
  return `ct state new ct status & confirmed != confirmed ${renderCount(set, most)}`;
}

/**
 * Counts connections in several lists, dealt out in turn, each of which holds its part of the
 * ceiling.
 */
export function renderCount(set: string, most: number): string {
  const lists = Math.max(1, Math.ceil(most / listLength));
  return `add @${set} { numgen inc mod ${lists} ct count over ${Math.floor(most / lists)} }`;
}

function atLeastOne(count: number): number {
  return Math.max(1, Math.floor(count));
}
