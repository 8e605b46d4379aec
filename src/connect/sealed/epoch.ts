import { controlKinds } from '../wire/encrypted-control.ts';
import type { Id, RandomBytes } from '../wire/id.ts';
import { createFrameCipher, type FrameCipher } from './frames.ts';
import type {
  Handshake,
  HandshakeFailure,
  HandshakePool,
  HandshakeSecrets,
  OpenHandshake,
} from './handshake.ts';
import { hasSigned, type Identity } from './identity.ts';
import { sealedLimits } from './limits.ts';

/** One handshake with a peer and the key that comes of it. It is told the time. */
export interface Epoch {
  readonly id: Id | undefined;
  feed(bytes: Buffer): void;
  /** The peer's proof. The first one counts, also where it came before the handshake was done. */
  prove(proof: Buffer): void;
  /** Compares the proof with the peer's key, once both are there. */
  verify(publicKey: Buffer | undefined): void;
  /** A control of ours was acknowledged: where it is the proof, the peer has read it. */
  acked(payload: Buffer): void;
  /** What is to be sent now. */
  step(now: number): readonly Said[];
  wakeAt(): number;
  stage(): 'handshake' | 'proof' | 'proven' | 'over';
  /** Neither proven nor over. */
  isUnderWay(): boolean;
  open(sealed: Buffer): Buffer | undefined;
  /** Undefined before the peer has shown that it can open it. */
  cipher(): FrameCipher | undefined;
  /** The peer may have lost the key: nothing is sealed before it shows that it has it. */
  doubt(): void;
  end(why?: EpochFailure): void;
}

/** Why a handshake was given up. */
export const epochFailures = [
  /** By TLS itself: no handshake of it, or none that both ends know. */
  'tls',
  /** Another protocol inside. */
  'protocol',
  /** The peer has shown none. */
  'certificate',
  /** More bytes than any handshake takes. */
  'oversized',
  /** The peer did not answer. */
  'half-open',
  /** No proof came, or no key to compare it with. */
  'late',
  /** It is not by the peer's key. */
  'proof',
  /** Others have begun so many since. */
  'evicted',
  /** The peer began too many in a minute. */
  'too-often',
] as const;

export type EpochFailure = HandshakeFailure | (typeof epochFailures)[number];

interface Said {
  readonly kind: number;
  readonly payload: Buffer;
}

export interface EpochOptions {
  readonly id: Id | undefined;
  readonly now: number;
  readonly identity: Pick<Identity, 'sign'>;
  readonly openHandshake: OpenHandshake;
  readonly pool: HandshakePool;
  readonly randomBytes: RandomBytes;
  /** TLS went on between two calls: `step` has something to do. */
  readonly onNews: () => void;
  readonly onFailed: (why: EpochFailure) => void;
}

/** Of an Ed25519 signature. */
const proofLength = 64;
const { partBytes, proofPauses } = sealedLimits;

export function createEpoch(options: EpochOptions): Epoch {
  const { id, identity } = options;
  let received = 0;
  let hello: Buffer | undefined;
  let flight: Buffer[] = [];
  let secrets: HandshakeSecrets | undefined;
  let cipher: FrameCipher | undefined;
  let peerProof: Buffer | undefined;
  let ownProof: Buffer | undefined;
  let proofAt = Number.POSITIVE_INFINITY;
  let sendings = 0;
  let isProven = false;
  let isRead = false;
  let isOver = false;

  const seat = options.pool.enter(() => end('evicted'));
  let handshake: Handshake | undefined = options.openHandshake({
    onBytes(bytes) {
      if (secrets !== undefined || isOver) return;
      flight.push(bytes);
      options.onNews();
    },
    onDone(made) {
      if (isOver || secrets !== undefined) return;
      secrets = made;
      // After it, TLS writes tickets alone, which nobody asked for.
      flight = [];
      cipher = createFrameCipher(made.frameKey, options.randomBytes);
      ownProof = identity.sign(made.toProve);
      proofAt = Number.NEGATIVE_INFINITY;
      release();
      options.onNews();
    },
    onFailed(why) {
      if (secrets === undefined) end(why);
      options.onNews();
    },
  });

  function release(): void {
    seat.leave();
    handshake?.close();
    // An epoch that is over is remembered by its name, and what TLS holds is twenty times as much.
    handshake = undefined;
    hello = undefined;
  }
  function end(why?: EpochFailure): void {
    if (isOver) return;
    isOver = true;
    flight = [];
    cipher = undefined;
    release();
    if (why !== undefined) options.onFailed(why);
  }
  const takeFlight = (): readonly Said[] => {
    const bytes = Buffer.concat(flight);
    flight = [];
    const parts: Said[] = [];
    for (let at = 0; at < bytes.length; at += partBytes)
      parts.push({
        kind: controlKinds.handshake,
        payload: bytes.subarray(at, at + partBytes),
      });
    return parts;
  };
  const takeProof = (now: number): readonly Said[] => {
    if (ownProof === undefined || isRead || now < proofAt) return [];
    const pause = proofPauses[sendings++];
    proofAt = pause === undefined ? Number.POSITIVE_INFINITY : now + pause;
    return [{ kind: controlKinds.proof, payload: ownProof }];
  };
  const deadline = (): number => {
    if (isOver || isProven) return Number.POSITIVE_INFINITY;
    return options.now + (secrets === undefined ? sealedLimits.halfOpenMs : sealedLimits.proofMs);
  };

  return {
    id,
    feed(bytes) {
      // What was sent again is no second hello: that one is another, for a group that we asked for.
      if (isOver || secrets !== undefined || hello?.equals(bytes)) return;
      hello ??= Buffer.from(bytes);
      received += bytes.length;
      if (received > sealedLimits.handshakeBytes) {
        end('oversized');
        return;
      }
      handshake?.feed(bytes);
    },
    prove(proof) {
      if (isOver || isProven) return;
      if (proof.length === proofLength) peerProof ??= Buffer.from(proof);
      else end('proof');
    },
    verify(publicKey) {
      if (isOver || isProven || publicKey === undefined) return;
      if (secrets === undefined || peerProof === undefined) return;
      isProven = hasSigned(publicKey, { bytes: secrets.toProve, signature: peerProof });
      if (!isProven) end('proof');
    },
    acked(payload) {
      if (ownProof?.equals(payload)) isRead = true;
    },
    step(now) {
      if (now >= deadline()) end(secrets === undefined ? 'half-open' : 'late');
      return isOver ? [] : [...takeFlight(), ...takeProof(now)];
    },
    wakeAt() {
      if (isOver) return Number.POSITIVE_INFINITY;
      if (flight.length > 0) return Number.NEGATIVE_INFINITY;
      const saysProof = ownProof !== undefined && !isRead;
      return Math.min(deadline(), saysProof ? proofAt : Number.POSITIVE_INFINITY);
    },
    stage() {
      if (isOver) return 'over';
      if (isProven) return 'proven';
      return secrets === undefined ? 'handshake' : 'proof';
    },
    isUnderWay: () => !isOver && !isProven,
    open(sealed) {
      const frame = isProven ? cipher?.open(sealed) : undefined;
      if (frame !== undefined) isRead = true;
      return frame;
    },
    cipher: () => (isProven && isRead ? cipher : undefined),
    doubt() {
      if (!isRead) return;
      isRead = false;
      // An ack of our proof says nothing any more: only what the peer seals does.
      ownProof = undefined;
    },
    end,
  };
}

/** A record of a handshake that begins with a client's first message. */
export function isClientHello(bytes: Buffer): boolean {
  return bytes.length >= 6 && bytes[0] === 22 && bytes[5] === 1;
}
