import { createFrameCipher, type FrameCipher } from '../../connect/sealed/frames.ts';
import type { Handshake, HandshakeSecrets, OpenHandshake } from '../../connect/sealed/handshake.ts';
import { hasSigned, type Identity } from '../../connect/sealed/identity.ts';
import {
  controlKinds,
  type EncryptedControl,
  encryptedControl,
  sessionRoles,
} from '../../connect/wire/encrypted-control.ts';
import { type Frame, noBytes, toFrame } from '../../connect/wire/frame.ts';
import type { Id } from '../../connect/wire/id.ts';
import { decode, encode } from '../../connect/wire/message.ts';
import { messageTypes } from '../../connect/wire/message-types.ts';
import { WireError } from '../../connect/wire/wire-error.ts';

/**
 * Whether a consumer's packets are sealed, so that only the provider reads them: never, once both
 * have proven who they are, or not sent before that.
 */
export const sealingModes = ['off', 'opportunistic', 'required'] as const;
export type SealingMode = (typeof sealingModes)[number];

/** The consumer's end of encryption with its provider. */
export interface ConsumerSealing {
  /** Controls to send now; the first one begins the handshake. */
  say(now: number): readonly Frame[];
  /** A control of the provider, which came in its turn. */
  take(bytes: Buffer, now: number): void;
  /** The provider's public key, as the platform knows it. */
  setProviderKey(publicKey: Buffer | undefined): void;
  seal(frame: Buffer): Buffer | undefined;
  open(sealed: Buffer): Buffer | undefined;
  /** Packets have to wait for a key. */
  isHeld(): boolean;
  isSealing(): boolean;
  wakeAt(): number;
  end(): void;
}

export interface ConsumerSealingOptions {
  readonly mode: SealingMode;
  readonly identity: Identity;
  readonly openHandshake: OpenHandshake;
  readonly newId: () => Id;
  readonly randomBytes: (length: number) => Buffer;
  readonly onNews: () => void;
}

/** A provider that does not answer is asked again so much later. */
const retryAfter = 60_000;
/** A provider that has lost its key says so once a second; one handshake is enough. */
const renewEvery = 5000;

export function createConsumerSealing(options: ConsumerSealingOptions): ConsumerSealing {
  const { mode, identity } = options;
  let epochId: Id | undefined;
  let handshake: Handshake | undefined;
  let written: Buffer[] = [];
  let secrets: HandshakeSecrets | undefined;
  let proof: Buffer | undefined;
  let providerKey: Buffer | undefined;
  /** The proven key, and the one before. */
  let [current, prior]: (FrameCipher | undefined)[] = [undefined, undefined];
  let isProven = false;
  let waiting: EncryptedControl[] = [];
  let beginAt = mode === 'off' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  let begunAt = Number.NEGATIVE_INFINITY;

  const say = (kind: number, payload: Buffer): void => {
    waiting.push({ kind, payload, role: sessionRoles.client, isCompanion: false, epochId });
  };
  const begin = (now: number): void => {
    handshake?.close();
    epochId = options.newId();
    [secrets, proof, isProven] = [undefined, undefined, false];
    written = [];
    begunAt = now;
    beginAt = now + retryAfter;
    const begun = epochId;
    handshake = options.openHandshake({
      onBytes(bytes) {
        if (begun !== epochId) return;
        written.push(bytes);
        options.onNews();
      },
      onDone(made) {
        if (begun !== epochId) return;
        secrets = made;
        options.onNews();
      },
      onFailed: () => undefined,
    });
  };
  /** One control for each flight, as the network's own consumers send it. */
  const sayFlight = (): void => {
    const flight = Buffer.concat(written);
    written = [];
    if (flight.length > 0) say(controlKinds.handshake, flight);
  };
  let hasProven = noBytes;
  const sayProof = (): void => {
    if (secrets === undefined || hasProven === secrets.toProve) return;
    hasProven = secrets.toProve;
    say(controlKinds.proof, identity.sign(secrets.toProve));
  };
  const verify = (): void => {
    if (isProven || secrets === undefined || proof === undefined || providerKey === undefined)
      return;
    if (!hasSigned(providerKey, { bytes: secrets.toProve, signature: proof })) return;
    isProven = true;
    beginAt = Number.POSITIVE_INFINITY;
    prior = current;
    current = createFrameCipher(secrets.frameKey, options.randomBytes);
    handshake?.close();
  };
  const takeNack = ({ epochId: known }: EncryptedControl, now: number): void => {
    if (known !== undefined || mode === 'off' || now - begunAt < renewEvery) return;
    current = undefined;
    beginAt = Number.NEGATIVE_INFINITY;
  };
  const act = (control: EncryptedControl, now: number): void => {
    if (control.role !== sessionRoles.server || control.isCompanion) return;
    if (control.kind === controlKinds.nack) takeNack(control, now);
    if (control.epochId !== epochId) return;
    if (control.kind === controlKinds.handshake) handshake?.feed(control.payload);
    if (control.kind === controlKinds.proof) proof ??= Buffer.from(control.payload);
    verify();
  };

  return {
    say(now) {
      if (now >= beginAt) begin(now);
      sayFlight();
      sayProof();
      verify();
      const controls = waiting;
      waiting = [];
      return controls.map((control) =>
        toFrame(messageTypes.encryptedControl, encode(encryptedControl, control)),
      );
    },
    take(bytes, now) {
      try {
        act(decode(encryptedControl, bytes), now);
      } catch (error) {
        if (!(error instanceof WireError)) throw error;
      }
    },
    setProviderKey(publicKey) {
      providerKey = publicKey;
      verify();
    },
    seal: (frame) => current?.seal(frame),
    open: (sealed) => current?.open(sealed) ?? prior?.open(sealed),
    isHeld: () => mode === 'required' && current === undefined,
    isSealing: () => current !== undefined,
    wakeAt: () => beginAt,
    end: () => handshake?.close(),
  };
}
