import type { ConsumerSums, RunFigures, SealingFigures } from '../source-report.ts';
import { type EngineCounters, epochFailures, refusedContracts } from './protocol.ts';

/** Nothing was carried. Its fields are the names by which sums are kept. */
export const noSums: ConsumerSums = {
  upBytes: 0,
  downBytes: 0,
  overheadBytes: 0,
  acceptedContracts: 0,
  unpaidBytes: 0,
  bridgedBytes: 0,
  doubtfulBytes: 0,
};

/** Before any engine has said anything. */
export const noFigures: RunFigures = {
  ...noSums,
  present: 0,
  refusedContracts: {},
  reportsWaiting: 0,
  reportsRefused: 0,
  sealing: {
    consumers: 0,
    handshakes: 0,
    refusedHandshakes: {},
    sealedMessages: 0,
    openedMessages: 0,
    unopenedMessages: 0,
    workMs: 0,
    refusedPlaintext: 0,
  },
};

/** For each sum, what `merge` makes of its two values. */
export function mergeSums(
  one: ConsumerSums,
  other: ConsumerSums,
  merge: (own: number, others: number) => number,
): ConsumerSums {
  const names = Object.keys(noSums) as readonly (keyof ConsumerSums)[];
  return Object.fromEntries(
    names.map((name) => [name, merge(one[name], other[name])]),
  ) as unknown as ConsumerSums;
}

/** An engine in a stranger's hand may name any number; the state file takes no larger one. */
export function addSums(one: ConsumerSums, other: ConsumerSums): ConsumerSums {
  return mergeSums(one, other, add);
}

function add(own: number, more: number): number {
  return Math.min(own + more, Number.MAX_SAFE_INTEGER);
}

/**
 * The figures of all engines until now: what the earlier ones counted, and what one more has
 * counted, each of which began at zero. Consumers are this one's alone. Reports that waited when an
 * engine ended are in the books, which the next one sends: they wait until it says something else.
 */
export function addEngine(before: RunFigures, counted: EngineCounters | undefined): RunFigures {
  if (counted === undefined)
    return { ...before, present: 0, sealing: { ...before.sealing, consumers: 0 } };
  return {
    ...addSums(before, toSums(counted)),
    present: counted.consumers,
    refusedContracts: addKinds(refusedContracts, before.refusedContracts, counted.refusedContracts),
    reportsWaiting: counted.reportsWaiting,
    reportsRefused: add(before.reportsRefused, counted.reportsRefused ?? 0),
    sealing: addSealing(before.sealing, counted),
  };
}

function addSealing(before: SealingFigures, { sealing, dropped }: EngineCounters): SealingFigures {
  const refusedPlaintext = add(before.refusedPlaintext, dropped.plain ?? 0);
  if (sealing === undefined) return { ...before, consumers: 0, refusedPlaintext };
  return {
    consumers: sealing.consumers,
    handshakes: add(before.handshakes, sealing.handshakes),
    refusedHandshakes: addKinds(epochFailures, before.refusedHandshakes, sealing.refusedHandshakes),
    sealedMessages: add(before.sealedMessages, sealing.sealedMessages),
    openedMessages: add(before.openedMessages, sealing.openedMessages),
    unopenedMessages: add(before.unopenedMessages, sealing.unopenedMessages),
    workMs: add(before.workMs, sealing.workMs ?? 0),
    refusedPlaintext,
  };
}

function toSums(counted: EngineCounters): ConsumerSums {
  return {
    upBytes: counted.upBytes,
    downBytes: counted.downBytes,
    overheadBytes: counted.overheadBytes,
    acceptedContracts: counted.admittedContracts,
    unpaidBytes: counted.unpaidBytes + (counted.renewals?.abandonedBytes ?? 0),
    bridgedBytes: counted.renewals?.bridgedBytes ?? 0,
    doubtfulBytes: counted.doubtfulBytes,
  };
}

type Kinds = Readonly<Record<string, number>>;

/** A kind that is not known is left out: an engine in a stranger's hand could name any number. */
function addKinds(known: readonly string[], before: Kinds, counted: Kinds): Kinds {
  const sums = known.map((kind) => [kind, add(before[kind] ?? 0, counted[kind] ?? 0)] as const);
  return Object.fromEntries(sums.filter(([, count]) => count > 0));
}
