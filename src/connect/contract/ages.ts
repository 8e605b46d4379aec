/**
 * What a contract's age means, in ms since the service **created** it. The service closes a
 * contract at five minutes and pays what was reported by then: nothing reported is nothing paid. So
 * counts are reported before, and traffic moves on to a younger contract before.
 */

/** Both directions report what was counted so far, at least twice: one report could be lost. */
const checkpointAges = [225_000, 285_000] as const;
/**
 * The service closes contracts in passes, some minutes apart, and one that a single end reported
 * in the second pass that finds it too old. What is counted until the first one is paid, and half
 * of what is counted until the second. So a contract that is still used is reported on, at the same
 * moments as all others: one request and one write of the books do for all.
 */
const lateReportsEvery = 15_000;
const lastReportAge = 900_000;
/**
 * Where our count is above the consumer's by more than 16 MiB, there is a dispute, and the
 * consumer's does not grow between the two passes. So this is the most that is reported late.
 */
export const mostLateBytes = 8 * 1024 * 1024;
/** Less is worth no request: who is there and only pings is not reported on again and again. */
export const leastLateBytes = 4096;

/** When a contract is to be reported next, after `time`. All times are those by which it ages. */
export function nextReportAt(createdAt: number, time: number): number {
  const fixed = checkpointAges.find((age) => createdAt + age > time);
  if (fixed !== undefined) return createdAt + fixed;
  const late = (Math.floor(time / lateReportsEvery) + 1) * lateReportsEvery;
  return late - createdAt <= lastReportAge ? late : Number.POSITIVE_INFINITY;
}
/** What we send moves on to a spare contract, which leaves its acks time to be counted. */
export const rollOverAge = 235_000;
/** An older one is opened only where nothing else is to be had. */
export const oldestToOpen = 240_000;
/** The service closes a contract some time after this; what it carries then may never be paid. */
export const closedByServiceAge = 300_000;
/**
 * A consumer whose newest contract is older is asked for a new one, and spares for a bridge are
 * held from here on. The service refuses companions 300 s after it closed the consumer's contract,
 * which it does at five minutes at the soonest: there is time for a renewal.
 */
export const renewAge = 240_000;
/** A spare is replaced so often, so that there is always a young one to move on to. */
export const spareAge = 60_000;
/**
 * From this age of the consumer's newest contract on, the service may refuse us at any moment. Then
 * the youngest spare is the last that is paid, for five minutes from when it was made: each second
 * by which it is younger is one more that is paid.
 */
export const lastSparesAge = 2 * closedByServiceAge;
export const lastSpareAge = 15_000;
/**
 * A contract that we do not know and that is older is refused, also where nothing is known of an
 * earlier life: those that were finished are remembered (`finished-contracts.ts`).
 */
export const oldestToAdmit = 24 * 60 * 60 * 1000;
/** A contract that nobody uses for so long is forgotten; the service has settled it long before. */
export const longestUnused = 60 * 60 * 1000;
