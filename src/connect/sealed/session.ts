import { controlKinds, type EncryptedControl, sessionRoles } from '../wire/encrypted-control.ts';
import { noBytes } from '../wire/frame.ts';
import type { Id } from '../wire/id.ts';
import {
  createEpoch,
  type Epoch,
  type EpochFailure,
  type EpochOptions,
  isClientHello,
} from './epoch.ts';
import { sealedLimits } from './limits.ts';

/**
 * A session that a consumer began with us, from handshake to handshake. It is told the time (whole
 * ms of one clock that never goes back) and what comes; `step` gives the controls to send, and is
 * called after each batch and at `wakeAt`. Who relays its controls can keep it from sealing, and
 * can neither read nor change what is sealed.
 */
export interface SealedSession {
  /**
   * A control of the peer, which came in plaintext. `waits`: it belongs to a handshake whose
   * beginning has not come yet, so give it again after the next `begun`.
   */
  take(control: EncryptedControl, now: number): 'taken' | 'begun' | 'waits';
  /** The peer's public key, where all who know it agree; undefined where they do not. */
  setPeerKey(publicKey: Buffer | undefined): void;
  /** A control of ours was acknowledged. */
  acked(payload: Buffer): void;
  /** A whole frame; undefined where no key of ours opens it. The peer is told, once a second. */
  open(sealed: Buffer, now: number): Buffer | undefined;
  /** A key of the peer is proven: what it seals can be opened. */
  canOpen(): boolean;
  canSeal(): boolean;
  /** As a cipher does; undefined while nothing may be sealed, and then nothing is written. */
  seal(frame: Buffer, into?: Buffer): Buffer | undefined;
  /** The peer may have been started again: its keys are doubted until it seals by one. */
  doubt(): void;
  step(now: number): readonly EncryptedControl[];
  wakeAt(): number;
  end(): void;
  counters(): SealedCounters;
}

export interface SealedCounters {
  readonly handshakes: number;
  readonly proven: number;
  readonly sealed: number;
  readonly opened: number;
  readonly unopened: number;
  /** Controls that led to nothing: old, too long, too many. */
  readonly ignored: number;
  /** Handshakes that were given up, by reason. */
  readonly failed: Readonly<Partial<Record<EpochFailure, number>>>;
}

export const noSealedCounters: SealedCounters = {
  handshakes: 0,
  proven: 0,
  sealed: 0,
  opened: 0,
  unopened: 0,
  ignored: 0,
  failed: {},
};

export interface SealedSessionOptions extends Omit<EpochOptions, 'id' | 'now' | 'onFailed'> {
  readonly isCompanion: boolean;
  /** Frames of one key, before another is asked for; by default `sealedLimits.framesOfKey`. */
  readonly framesOfKey?: number | undefined;
}

const minute = 60_000;

export function createSealedSession(options: SealedSessionOptions): SealedSession {
  const { isCompanion, framesOfKey = sealedLimits.framesOfKey } = options;
  /** The last handshake that began, whatever came of it. */
  let newest: Epoch | undefined;
  /** The last one that was proven, and the one before. */
  let current: Epoch | undefined;
  let prior: Epoch | undefined;
  let peerKey: Buffer | undefined;
  let startedAt: number[] = [];
  let nackAt = Number.NEGATIVE_INFINITY;
  let renewAt = Number.NEGATIVE_INFINITY;
  let framesLeft = framesOfKey;
  let waiting: EncryptedControl[] = [];
  const { failed: none, ...zero } = noSealedCounters;
  const count = { ...zero };
  const failed: Partial<Record<EpochFailure, number>> = { ...none };

  const say = (kind: number, payload: Buffer, epochId: Id | undefined): void => {
    if (waiting.length >= sealedLimits.queuedControls) return;
    waiting.push({ kind, payload, role: sessionRoles.server, isCompanion, epochId });
  };
  const ignore = (): 'taken' => {
    count.ignored++;
    return 'taken';
  };
  const onFailed = (why: EpochFailure): void => {
    failed[why] = (failed[why] ?? 0) + 1;
  };
  const begin = (id: Id | undefined, now: number): Epoch | undefined => {
    startedAt = startedAt.filter((at) => now - at < minute);
    if (startedAt.length >= sealedLimits.epochsPerMinute) {
      onFailed('too-often');
      return undefined;
    }
    startedAt.push(now);
    count.handshakes++;
    if (newest !== current) newest?.end();
    newest = createEpoch({
      ...options,
      id,
      now,
      onFailed,
    });
    return newest;
  };
  /** A proven handshake takes the place of the one before, whose frames are still opened. */
  const settle = (): void => {
    newest?.verify(peerKey);
    if (newest === undefined || newest === current || newest.stage() !== 'proven') return;
    prior?.end();
    [prior, current] = [current, newest];
    framesLeft = framesOfKey;
    count.proven++;
  };

  const takeHello = ({ epochId, payload }: EncryptedControl, now: number) => {
    const begun = begin(epochId, now);
    if (begun === undefined) return ignore();
    begun.feed(payload);
    return 'begun';
  };
  const takeHandshake = (said: EncryptedControl, now: number) => {
    const { epochId, payload } = said;
    const order = compare(epochId, newest);
    if (payload.length === 0 || order === 'older') return ignore();
    if (order === 'same' && newest?.stage() === 'handshake') {
      newest.feed(payload);
      return 'taken';
    }
    const isHello = isClientHello(payload);
    // A peer that gives its handshakes no names may begin another one at any time.
    if (order === 'same' && !(isHello && epochId === undefined)) return ignore();
    return isHello ? takeHello(said, now) : 'waits';
  };
  const takeProof = ({ epochId, payload }: EncryptedControl) => {
    const order = compare(epochId, newest);
    if (order === 'newer') return 'waits';
    if (order === 'older') return ignore();
    newest?.prove(payload);
    settle();
    return 'taken';
  };
  const doubt = (): void => {
    for (const epoch of [newest, current, prior]) epoch?.doubt();
  };
  /** The peer opens nothing of ours: nothing is sealed before it shows a key again. */
  const takeNack = ({ epochId }: EncryptedControl, now: number): 'taken' => {
    if (epochId !== undefined || now < renewAt || sealing() === undefined) return ignore();
    renewAt = now + sealedLimits.renewEveryMs;
    doubt();
    return 'taken';
  };
  const sealing = () => {
    // Where no other key came for so long, this one is done with all the same.
    if (framesLeft <= -framesOfKey) return undefined;
    return current?.cipher() ?? prior?.cipher();
  };

  const openBy = (epoch: Epoch | undefined, sealed: Buffer): Buffer | undefined => {
    const frame = epoch?.open(sealed);
    if (frame !== undefined) count.opened++;
    return frame;
  };
  const sayUnopened = (now: number): void => {
    count.unopened++;
    // Its proof was overtaken by what it seals: told to begin again, it would give up a good key.
    const isOnItsWay = current === undefined && newest?.isUnderWay() === true;
    if (now < nackAt || isOnItsWay) return;
    nackAt = now + sealedLimits.nackEveryMs;
    say(controlKinds.nack, noBytes, current?.id);
  };
  /** We are the server, which begins no handshake: by a nack without a name the peer does. */
  const renew = (now: number): void => {
    if (framesLeft > 0 || now < renewAt) return;
    renewAt = now + sealedLimits.renewEveryMs;
    say(controlKinds.nack, noBytes, undefined);
  };

  return {
    take(control, now) {
      const isOurs = control.role === sessionRoles.client && control.isCompanion === isCompanion;
      if (!isOurs || control.payload.length > sealedLimits.controlBytes) return ignore();
      if (control.kind === controlKinds.handshake) return takeHandshake(control, now);
      if (control.kind === controlKinds.proof) return takeProof(control);
      return control.kind === controlKinds.nack ? takeNack(control, now) : ignore();
    },
    setPeerKey(publicKey) {
      peerKey = publicKey;
      settle();
    },
    acked(payload) {
      newest?.acked(payload);
      current?.acked(payload);
    },
    open(sealed, now) {
      const frame = openBy(current, sealed) ?? openBy(prior, sealed);
      if (frame === undefined) sayUnopened(now);
      return frame;
    },
    canOpen: () => current !== undefined,
    canSeal: () => sealing() !== undefined,
    seal(frame, into) {
      const cipher = sealing();
      if (cipher === undefined) return undefined;
      count.sealed++;
      framesLeft--;
      return cipher.seal(frame, into);
    },
    doubt,
    step(now) {
      settle();
      renew(now);
      for (const { kind, payload } of newest?.step(now) ?? []) say(kind, payload, newest?.id);
      const controls = waiting;
      waiting = [];
      return controls;
    },
    wakeAt() {
      if (waiting.length > 0) return Number.NEGATIVE_INFINITY;
      const asksAt = framesLeft > 0 ? Number.POSITIVE_INFINITY : renewAt;
      return Math.min(newest?.wakeAt() ?? Number.POSITIVE_INFINITY, asksAt);
    },
    end() {
      for (const epoch of [newest, current, prior]) epoch?.end();
      [newest, current, prior] = [undefined, undefined, undefined];
      waiting = [];
    },
    counters: () => ({ ...count, failed: { ...failed } }),
  };
}

/** A control without the name of a handshake is about the newest one. */
function compare(id: Id | undefined, newest: Epoch | undefined): 'older' | 'same' | 'newer' {
  if (newest === undefined) return 'newer';
  if (id === undefined || id === newest.id) return 'same';
  return newest.id === undefined || id > newest.id ? 'newer' : 'older';
}
