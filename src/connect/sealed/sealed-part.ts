import type { RandomBytes } from '../wire/id.ts';
import { largestMessage } from '../wire/message-types.ts';
import { createHandshakePool } from './handshake.ts';
import { type IdentityData, loadIdentity } from './identity.ts';
import { sealedLimits } from './limits.ts';
import { createSealedSession, type SealedSession } from './session.ts';
import { createTlsServer } from './tls-server.ts';
import { createWorkMeter } from './work-meter.ts';

/** Encryption with all consumers of one provider. */
export interface SealedPart {
  /** False where a session is opened only to say that nothing is sealed here. */
  readonly takesOffers: boolean;
  /** A consumer that does not seal is not served. */
  readonly isRequired: boolean;
  /** Frames are written here where they are sealed at once: nothing of them is kept. */
  readonly scratch: Buffer;
  /** How long sealing and opening messages took until now, in ms. */
  workMs(): number;
  /** @param onNews the session has something to do, because TLS has gone on */
  open(onNews: () => void): SealedSession;
}

export interface SealedPartOptions {
  readonly isRequired?: boolean | undefined;
  /** Sealed by one key, before another is asked for; by default `sealedLimits.framesOfKey`. */
  readonly framesOfKey?: number | undefined;
}

/**
 * Keys are read when the first consumer offers to seal: many never have one that does. */
export function createSealedPart(
  data: IdentityData,
  randomBytes: RandomBytes,
  { isRequired = false, framesOfKey }: SealedPartOptions = {},
): SealedPart {
  const pool = createHandshakePool(sealedLimits.handshakes);
  const work = createWorkMeter();
  const load = () => ({ identity: loadIdentity(data), openHandshake: createTlsServer(data) });
  let loaded: ReturnType<typeof load> | undefined;
  return {
    takesOffers: true,
    isRequired,
    workMs: work.sumMs,
    scratch: Buffer.allocUnsafeSlow(largestMessage),
    open(onNews) {
      loaded ??= load();
      const of = { pool, randomBytes, isCompanion: false, onNews, framesOfKey };
      const session = createSealedSession({ ...loaded, ...of });
      return {
        ...session,
        open: (sealed, now) => work.measure(() => session.open(sealed, now)),
        seal: (frame, into) => work.measure(() => session.seal(frame, into)),
      };
    },
  };
}
