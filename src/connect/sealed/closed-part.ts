import { controlKinds, sessionRoles } from '../wire/encrypted-control.ts';
import { noBytes } from '../wire/frame.ts';
import { sealedLimits } from './limits.ts';
import type { SealedPart } from './sealed-part.ts';
import { noSealedCounters, type SealedSession } from './session.ts';

/**
 * For a provider that seals nothing. A consumer that has a key of an earlier life, which did, goes
 * on to seal by it for ten minutes; it is told that nobody has that key, and offers are ignored.
 */
export function createClosedPart(): SealedPart {
  return {
    takesOffers: false,
    isRequired: false,
    workMs: () => 0,
    scratch: noBytes,
    open: createClosedSession,
  };
}

function createClosedSession(): SealedSession {
  let nackAt = Number.NEGATIVE_INFINITY;
  let hasNack = false;
  let unopened = 0;
  return {
    take: () => 'taken',
    setPeerKey: () => undefined,
    acked: () => undefined,
    open(_sealed, now) {
      unopened++;
      if (now < nackAt) return undefined;
      nackAt = now + sealedLimits.renewEveryMs;
      hasNack = true;
      return undefined;
    },
    canOpen: () => false,
    canSeal: () => false,
    seal: () => undefined,
    doubt: () => undefined,
    step() {
      if (!hasNack) return [];
      hasNack = false;
      const of = { role: sessionRoles.server, isCompanion: false, epochId: undefined };
      return [{ kind: controlKinds.nack, payload: noBytes, ...of }];
    },
    wakeAt: () => (hasNack ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY),
    end: () => undefined,
    counters: () => ({ ...noSealedCounters, unopened }),
  };
}
