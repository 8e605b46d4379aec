/**
 * What a contract's age means, in ms since the service **created** it. The service closes a
 * contract at five minutes and pays what was reported by then: nothing reported is nothing paid. So
 * counts are reported before, and traffic moves on to a younger contract before.
 */

/** Both directions report what was counted so far, twice: one report could be lost. */
export const checkpointAges = [225_000, 285_000] as const;
/** What we send moves on to a spare contract, which leaves its acks time to be counted. */
export const rollOverAge = 235_000;
/** An older one is opened only where nothing else is to be had. */
export const oldestToOpen = 240_000;
/** The service closes a contract some time after this; what it carries then is free of charge. */
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
 * A contract that we do not know and that is older is refused: those that were finished are
 * remembered for as long, so none can be used a second time.
 */
export const oldestToAdmit = 24 * 60 * 60 * 1000;
/** A contract that nobody uses for so long is forgotten; the service has settled it long before. */
export const longestUnused = 60 * 60 * 1000;
