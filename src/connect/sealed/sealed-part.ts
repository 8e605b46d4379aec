import type { RandomBytes } from '../wire/id.ts';
import { createHandshakePool } from './handshake.ts';
import { type IdentityData, loadIdentity } from './identity.ts';
import { sealedLimits } from './limits.ts';
import { createSealedSession, type SealedSession } from './session.ts';
import { createTlsServer } from './tls-server.ts';

/** Encryption with all consumers of one provider. */
export interface SealedPart {
  /** False where a session is opened only to say that nothing is sealed here. */
  readonly takesOffers: boolean;
  /** @param onNews the session has something to do, because TLS has gone on */
  open(onNews: () => void): SealedSession;
}

/**
 * Keys are read when the first consumer offers to seal: many never have one that does. Of one key,
 * so many frames are sealed before another is asked for; by default `sealedLimits.framesOfKey`.
 */
export function createSealedPart(
  data: IdentityData,
  randomBytes: RandomBytes,
  framesOfKey?: number,
): SealedPart {
  const pool = createHandshakePool(sealedLimits.handshakes);
  const load = () => ({ identity: loadIdentity(data), openHandshake: createTlsServer(data) });
  let loaded: ReturnType<typeof load> | undefined;
  return {
    takesOffers: true,
    open(onNews) {
      loaded ??= load();
      const of = { pool, randomBytes, isCompanion: false, onNews, framesOfKey };
      return createSealedSession({ ...loaded, ...of });
    },
  };
}
