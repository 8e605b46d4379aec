import type { ConsumerFigures } from '../source-report.ts';
import { type EngineCounters, refusedContracts } from './protocol.ts';

/** Before any engine has said anything. */
export const noFigures: ConsumerFigures = {
  present: 0,
  acceptedContracts: 0,
  refusedContracts: {},
  unpaidBytes: 0,
  bridgedBytes: 0,
  doubtfulBytes: 0,
  reportsWaiting: 0,
};

/**
 * The figures of all engines until now: what the earlier ones counted, and what one more has
 * counted, each of which began at zero. Consumers are this one's alone. Reports that waited when an
 * engine ended are in the books, which the next one sends: they wait until it says something else.
 */
export function addEngine(
  before: ConsumerFigures,
  counted: EngineCounters | undefined,
): ConsumerFigures {
  if (counted === undefined) return { ...before, present: 0 };
  return {
    present: counted.consumers,
    acceptedContracts: before.acceptedContracts + counted.admittedContracts,
    refusedContracts: addRefused(before.refusedContracts, counted.refusedContracts),
    unpaidBytes: before.unpaidBytes + counted.unpaidBytes,
    bridgedBytes: before.bridgedBytes + (counted.renewals?.bridgedBytes ?? 0),
    doubtfulBytes: before.doubtfulBytes + counted.doubtfulBytes,
    reportsWaiting: counted.reportsWaiting,
  };
}

type Refused = ConsumerFigures['refusedContracts'];

/** A kind that is not known is left out: an engine in a stranger's hand could name any number. */
function addRefused(before: Refused, counted: Refused): Refused {
  const sums = refusedContracts.map(
    (kind) => [kind, (before[kind] ?? 0) + (counted[kind] ?? 0)] as const,
  );
  return Object.fromEntries(sums.filter(([, count]) => count > 0));
}
