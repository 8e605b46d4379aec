import { sealedExtra } from '../sealed/frames.ts';
import { sealedLimits } from '../sealed/limits.ts';
import type { SealedPart } from '../sealed/sealed-part.ts';
import type { SealedCounters, SealedSession } from '../sealed/session.ts';
import type { Ack } from '../wire/ack.ts';
import {
  controlKinds,
  type EncryptedControl,
  encryptedControl,
  sessionRoles,
} from '../wire/encrypted-control.ts';
import { type Frame, toFrame } from '../wire/frame.ts';
import { encode } from '../wire/message.ts';
import { messageTypes } from '../wire/message-types.ts';
import type { Pack } from '../wire/pack.ts';
import {
  encodeAckFrame,
  encodePackFrame,
  type SealedBody,
  type TransferPath,
  wrapSealed,
} from '../wire/transfer-frame.ts';
import { isControl, readControl, waitsForItsTurn } from './controls.ts';
import type { Drops } from './counters.ts';
import type { IncomingLane } from './incoming-lane.ts';

/**
 * Encryption with one consumer, between its session and its Packs. A consumer that offers none is
 * spoken with in plaintext; one that does, in plaintext until both have proven who they are.
 */
export interface Sealing {
  /**
   * A Pack has come, whether its turn has or not: a handshake cannot wait for the Packs before it,
   * which the consumer may not send in plaintext.
   */
  arrived(pack: Pack, now: number): void;
  /** Its turn has come. */
  delivered(pack: Pack, now: number): void;
  /** The frame inside; undefined where it cannot be opened. */
  open(sealed: SealedBody, now: number): Buffer | undefined;
  /** Undefined where it may go neither sealed nor in plaintext now; it is sent again later. */
  encodePack(path: TransferPath, pack: Pack): Buffer | undefined;
  encodeAck(path: TransferPath, ack: Ack): Buffer;
  /** The acks of a lane; those that cover only what came sealed may be sealed themselves. */
  noteAcks(lane: Pick<IncomingLane, 'acks' | 'coversPlain'>, now: number): readonly Ack[];
  /** Answers have to wait for a key. */
  isHeld(): boolean;
  /** A key of the consumer is proven. */
  hasKey(): boolean;
  /** It is answered sealed now. */
  isSealed(): boolean;
  /** Undefined where it has offered nothing. */
  counters(): SealedCounters | undefined;
  setPeerKey(publicKey: Buffer | undefined): void;
  acked(frames: readonly Frame[]): void;
  /** The consumer may have been started again, and speak in plaintext. */
  doubt(): void;
  /**
   * The first Pack of a sequence after a silence. In plaintext, it may be of a consumer that has
   * let its key go; that one is not answered in plaintext before it has sent data so.
   */
  returned(first: Pack): void;
  /** Controls to send now, each in a Pack of its own. */
  say(now: number): readonly Frame[];
  /**
   * There is something to say now, or to open later: by a key that is forgotten here, a consumer
   * that has been silent for so long would go on to seal what nobody can open. What cannot be said
   * is not waited for.
   */
  isNeeded(of: { readonly silentMs: number; readonly canSay: boolean }): boolean;
  wakeAt(): number;
  end(): void;
}

interface SealingOptions {
  /** Undefined where we seal nothing. */
  readonly part: SealedPart | undefined;
  readonly onNews: () => void;
  /**
   * The consumer offers to seal for the first time: answers belong to a session from now on. Or it
   * has begun again: where it has lost the key by which answers on their way are sealed, they are a
   * gap, behind which its handshake would wait.
   */
  readonly onBegun: (which: 'first' | 'again', now: number) => void;
  readonly drops: Pick<Drops, 'unreadable'>;
}

const role = sessionRoles.server;
const asServer = { role, isCompanion: false } as const;

export function createSealing(options: SealingOptions): Sealing {
  let session: SealedSession | undefined;
  let peerKey: Buffer | undefined;
  const isRequired = options.part?.isRequired === true;
  /** Something of the consumer came sealed, so it is not answered in plaintext any more. */
  let mustSeal = isRequired;
  /** It began again, and has not said yet whether it seals. */
  let isBack = false;
  /** Controls that were acted on before their turn. */
  const early = new Set<string>();
  let waiting: EncryptedControl[] = [];
  /** What went in plaintext once may go so again: held, it would leave a gap for good. */
  const exposed = new WeakSet<readonly Frame[]>();
  const sealedAcks = new WeakSet<Ack>();

  const offer = (now: number): SealedSession | undefined => {
    session = options.part?.open(options.onNews);
    session?.setPeerKey(peerKey);
    if (session !== undefined) options.onBegun('first', now);
    return session;
  };
  const takeWaiting = (now: number): void => {
    const again = waiting;
    waiting = [];
    for (const control of again) act(control, now);
  };
  const mayWait = ({ payload }: EncryptedControl): boolean => {
    const bytes = waiting.reduce((sum, one) => sum + one.payload.length, payload.length);
    return waiting.length < sealedLimits.waitingControls && bytes <= sealedLimits.waitingBytes;
  };
  const act = (control: EncryptedControl, now: number): void => {
    const isBeginning = control.kind === controlKinds.handshake && !control.isCompanion;
    const isOffer = isBeginning && options.part?.takesOffers === true;
    const hadKey = session?.canOpen() === true;
    const outcome = (session ?? (isOffer ? offer(now) : undefined))?.take(control, now);
    if (outcome === 'begun' && hadKey) options.onBegun('again', now);
    if (outcome === 'waits' && mayWait(control))
      waiting.push({ ...control, payload: Buffer.from(control.payload) });
    if (outcome === 'begun') takeWaiting(now);
  };
  const actOn = (pack: Pack, now: number): void => {
    for (const { type, bytes } of pack.frames) {
      if (type !== messageTypes.encryptedControl) continue;
      const control = readControl(bytes);
      if (control === undefined) options.drops.unreadable++;
      else act(control, now);
    }
  };
  const canSeal = (): boolean => session?.canSeal() === true;
  const seal = (path: TransferPath, frame: Buffer): Buffer =>
    wrapSealed(path, {
      ...asServer,
      length: frame.length + sealedExtra,
      fill: (hole) => session?.seal(frame, hole),
    });
  const mayBePlain = ({ frames }: Pack): boolean => {
    if (!mustSeal || frames.length === 0 || exposed.has(frames)) return true;
    return isControl(frames);
  };

  return {
    arrived(pack, now) {
      if (pack.cameSealed || !isControl(pack.frames)) return;
      const key = toKey(pack);
      if (early.has(key) || waitsForItsTurn(pack)) return;
      const [oldest] = early;
      if (early.size >= sealedLimits.earlyControls && oldest !== undefined) early.delete(oldest);
      early.add(key);
      actOn(pack, now);
    },
    delivered(pack, now) {
      const hasData = pack.frames.length > 0 && !isControl(pack.frames);
      if (hasData && isBack) [isBack, mustSeal] = [false, pack.cameSealed === true || isRequired];
      if (pack.cameSealed) mustSeal ||= hasData;
      else if (isControl(pack.frames) && !early.delete(toKey(pack))) actOn(pack, now);
    },
    open({ bytes, role, isCompanion }, now) {
      if (role === sessionRoles.server || isCompanion) return undefined;
      // Without a key it is told so, and begins a handshake.
      return (session ?? offer(now))?.open(bytes, now);
    },
    encodePack(path, pack) {
      const isOutside = session === undefined || pack.isOutside === true;
      if (isOutside && !isRequired) return encodePackFrame(path, pack);
      if (canSeal() && !isControl(pack.frames))
        return seal(path, encodePackFrame(path, pack, { role, into: options.part?.scratch }));
      const plain = encodePackFrame(path, pack, { role });
      if (isControl(pack.frames)) return plain;
      if (!mayBePlain(pack)) return undefined;
      exposed.add(pack.frames);
      return plain;
    },
    encodeAck(path, ack) {
      const plain = encodeAckFrame(path, ack);
      return sealedAcks.has(ack) && canSeal() ? seal(path, plain) : plain;
    },
    noteAcks(lane, now) {
      const acks = lane.acks(now);
      if (!lane.coversPlain()) for (const ack of acks) sealedAcks.add(ack);
      return acks;
    },
    isHeld: () => mustSeal && !canSeal(),
    isSealed: canSeal,
    counters: () => session?.counters(),
    hasKey: () => session?.canOpen() === true,
    setPeerKey(publicKey) {
      peerKey = publicKey;
      session?.setPeerKey(publicKey);
    },
    acked(frames) {
      for (const { type, bytes } of frames) {
        const ours = type === messageTypes.encryptedControl ? readControl(bytes) : undefined;
        if (ours !== undefined) session?.acked(ours.payload);
      }
    },
    doubt() {
      mustSeal = isRequired;
      early.clear();
      session?.doubt();
    },
    returned(first) {
      if (first.cameSealed) return;
      isBack = true;
      session?.doubt();
    },
    say: (now) =>
      (session?.step(now) ?? []).map((control) =>
        toFrame(messageTypes.encryptedControl, encode(encryptedControl, control)),
      ),
    isNeeded({ silentMs, canSay }) {
      if (session === undefined) return false;
      const isKept = session.canOpen() && silentMs < sealedLimits.keyKeptMs;
      // A handshake that has begun ends by its own deadline.
      return isKept || (canSay && session.wakeAt() < Number.POSITIVE_INFINITY);
    },
    wakeAt: () => session?.wakeAt() ?? Number.POSITIVE_INFINITY,
    end: () => session?.end(),
  };
}

function toKey({ sequenceId, sequenceNumber }: Pack): string {
  return sequenceId + String(sequenceNumber);
}
