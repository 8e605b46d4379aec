import { closedByServiceAge, renewAge } from '../contract/ages.ts';
import type { Anchor } from '../contract/incoming.ts';
import { messageTypes } from '../wire/message-types.ts';
import type { Pack } from '../wire/pack.ts';

/**
 * How a consumer is brought to make a new contract before its old one is no origin of ours any
 * more. Nothing in the wire asks for one; its program makes one for each new sequence, and begins a
 * new sequence where a Pack stays unacknowledged for half a minute. Its connections break where
 * that Pack carried data, and survive where it carried only signals or a ping.
 */
export type RenewalRule =
  /** Direct mode: signals have a lane of their own, and nothing is lost with it. */
  | 'signal'
  /** Default mode: a ping, with which a pause may begin. */
  | 'idle'
  /** The owner's limit of unpaid bytes: the consumer has to come back as another one. */
  | 'limit';

export type PackKind = 'data' | 'ping' | 'signals' | 'empty';

/** What a Pack carries; whatever is not known counts as data, which is never held up. */
export function toPackKind({ frames }: Pick<Pack, 'frames'>): PackKind {
  const carries = (type: number) => frames.every((frame) => frame.type === type);
  // A handshake is no traffic.
  if (carries(messageTypes.encryptedControl)) return 'empty';
  if (carries(messageTypes.ipPing)) return 'ping';
  return carries(messageTypes.signals) ? 'signals' : 'data';
}

/** What is known of a consumer when a Pack of it is delivered. Times in ms. */
export interface RenewalFacts {
  readonly kind: PackKind;
  /** This lane has carried signals and nothing else. */
  readonly isSignalLane: boolean;
  /** Another lane of this consumer is one. */
  readonly hasSignalLane: boolean;
  /** Its newest contract, and the time by which it ages. */
  readonly anchor: Anchor | undefined;
  readonly time: number;
  /** When it sent data, on any lane. */
  readonly dataRun: DataRun | undefined;
}

/** Data without a pause that could have brought a new contract. */
export interface DataRun {
  readonly since: number;
  readonly until: number;
}

/** A sequence is given up after half a minute, so a shorter pause brings nothing. */
const shortestPause = 30_000;

/** The run that data of this moment belongs to. */
export function extendRun(run: DataRun | undefined, now: number): DataRun {
  const isOver = run === undefined || now - run.until >= shortestPause;
  return { since: isOver ? now : run.since, until: now };
}

/** A consumer that brought a contract which was old already is not asked again at once. */
const shortestBetween = 120_000;
/** Signals bring nothing from a consumer without data for so long: we pay for their lane. */
const longestWithoutData = 240_000;

/** The rule by which acks of this Pack, and of those after it, are to be withheld. */
export function findRenewal(facts: RenewalFacts, now: number): RenewalRule | undefined {
  const { kind, anchor, time, dataRun } = facts;
  if (anchor === undefined) return undefined;
  const age = time - anchor.createdAt;
  if (age < renewAge || time - anchor.cameAt < shortestBetween || dataRun === undefined)
    return undefined;
  if (kind === 'signals' && facts.isSignalLane)
    return now - dataRun.until < longestWithoutData ? 'signal' : undefined;
  // A pause may begin with any ping then. It costs nothing to be wrong: with the next data,
  // everything is acknowledged at once.
  if (kind !== 'ping' || facts.hasSignalLane) return undefined;
  return isWorthPings(age, dataRun) ? 'idle' : undefined;
}

/**
 * An app pings no more after a ping without an answer: a pause renews an identity of it once, and
 * what its old contract would have paid for until then is lost. That is all that the service grants
 * us by it: until it is no origin, two times five minutes, and five more by the last contract of
 * ours. So a pause is left alone where another one is likely to come before that: one that was as
 * long in coming as this one, and that needs some time to be long enough.
 */
function isWorthPings(age: number, { since, until }: DataRun): boolean {
  return age + Math.max(until - since, leastTimeForPause) >= 3 * closedByServiceAge;
}
const leastTimeForPause = 180_000;

/** A consumer cannot have given up a sequence sooner; one that did so was started again. */
const soonestNewSequence = 25_000;

/**
 * Whether a new sequence is what was waited for, so many ms after acks were withheld: then answers
 * go on as they are.
 */
export function isPlanned(rule: RenewalRule, heldFor: number): boolean {
  return rule !== 'limit' && heldFor >= soonestNewSequence;
}

/**
 * Unpaid bytes of one consumer from one of its contracts to the next, where the owner says nothing.
 * At 1 MB/s that is a quarter of what a download without a pause carries in one identity.
 */
export const usualUnpaidBytes = 256 * 1024 * 1024;

/** What a consumer carried since its newest contract that nobody pays for, and may yet. */
export interface LimitFacts {
  readonly unpaidBytes: number;
  readonly mostUnpaidBytes: number;
  /** Contracts run out, and the service grants none. */
  readonly isRunningOut: boolean;
}

/** Whether the consumer has to come back as another one, so that it is paid for again. */
export function isAtLimit({ unpaidBytes, mostUnpaidBytes, isRunningOut }: LimitFacts): boolean {
  return unpaidBytes > 0 && (unpaidBytes >= mostUnpaidBytes || isRunningOut);
}

/** What became of these rules, over all consumers. */
export interface Renewals {
  /** New contracts that came by each rule. */
  bySignal: number;
  byPause: number;
  /** Pauses that ended before the consumer gave its sequence up: everything was acknowledged. */
  aborted: number;
  /** Sequences that were given up at the limit. */
  ended: number;
  /** Contracts that the service refused us. */
  refused: number;
  /**
   * Bytes of packets, in both directions, by contracts that the service had closed by then. Pings
   * and signals are charged to a contract, too, but they are nothing that was carried.
   */
  bridgedBytes: number;
  /**
   * Bytes of answers that were not acknowledged when their sequence ended, without those that are
   * bridged already.
   */
  abandonedBytes: number;
  /** Times for which a consumer's answers waited for more than two seconds. */
  holes: number;
}

export const noRenewals: Readonly<Renewals> = {
  bySignal: 0,
  byPause: 0,
  aborted: 0,
  ended: 0,
  refused: 0,
  bridgedBytes: 0,
  abandonedBytes: 0,
  holes: 0,
};
