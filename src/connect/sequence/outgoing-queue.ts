import type { Frame } from '../wire/frame.ts';
import { messageTypes } from '../wire/message-types.ts';
import { frameHead } from '../wire/transfer-frame.ts';
import type { Patience } from './patience.ts';

/** Frames that wait for the window, oldest first, bounded by their bytes. */
export interface OutgoingQueue {
  /**
   * False where it is full. Controls of encryption go before everything else, and have room of
   * their own: what fills the queue may wait for the key that they bring.
   */
  push(frame: Frame, now: number): boolean;
  /** Bytes of the frames that the next Pack takes; 0 where nothing waits. */
  nextBytes(room: number): number;
  /**
   * Those frames: as many as fit into `room` bytes with their heads, and at least one. Nobody waits
   * for another: only what is there already goes together.
   */
  shift(room: number): readonly Frame[];
  /** Takes out all that waits, in the order in which it would have gone. */
  takeAll(): readonly Frame[];
  /**
   * Takes out the first frames that have waited for too long, so that who sends them slows down.
   * Asked when the first one could be sent.
   */
  takeLate(now: number): readonly Frame[];
  /** What waited until now waited for something else than its turn. */
  forgive(now: number): void;
  /** A control is next: it waits for no window, because what fills it may wait for the control. */
  isUrgent(): boolean;
  /** Nothing may be sent now: nothing waits, or what waits is held. */
  isEmpty(): boolean;
  bytes(): number;
  /** Frames that wait. */
  count(): number;
}

/** What one Pack takes of its room: a limit of who sends, besides the wire's own. */
export interface PackLimit {
  readonly frames: number;
  /** Of their own, without their heads; one alone may have more. */
  readonly bytes: number;
}

/** Above so many small ones, what is around them is next to nothing. */
const usualLimit: PackLimit = { frames: 32, bytes: Number.POSITIVE_INFINITY };
/** Empty frames wait for their turn too, so each takes some room. */
const frameCost = 64;
/** A handshake of ours takes three kilobytes, and they come one after the other. */
const controlBytes = 32 * 1024;
const none: readonly Frame[] = [];

export function createOutgoingQueue(
  mostBytes: number,
  how: {
    /** Without it, what waits is never dropped. */
    readonly patience?: Patience | undefined;
    /** All but controls has to wait. */
    readonly isHeld?: (() => boolean) | undefined;
    readonly packLimit?: PackLimit | undefined;
  },
): OutgoingQueue {
  const { patience, packLimit = usualLimit } = how;
  let controls: Frame[] = [];
  let frames: Frame[] = [];
  /** When each of them came. */
  let cameAt: number[] = [];
  let first = 0;
  /** What all of them cost, and what controls do. */
  let bytes = 0;
  let bytesOfControls = 0;
  let forgivenAt = Number.NEGATIVE_INFINITY;

  const findNext = (room: number): { readonly count: number; readonly sum: number } => {
    let sum = frames[first]?.bytes.length ?? 0;
    const most = Math.min(packLimit.frames, frames.length - first);
    let count = Math.min(1, most);
    for (; count < most; count++) {
      const next = sum + (frames[first + count] as Frame).bytes.length;
      if (next > packLimit.bytes || next + (count + 1) * frameHead > room) break;
      sum = next;
    }
    return { count, sum };
  };

  /**
   * One frame alone keeps nobody waiting; and a ping is always answered, or a consumer gives us up.
   */
  const findWait = (at: number, now: number): number => {
    const isKept = at + 1 >= frames.length || frames[at]?.type === messageTypes.ipPing;
    return isKept ? 0 : now - Math.max(cameAt[at] ?? now, forgivenAt);
  };

  const takeControl = (control: Frame): readonly Frame[] => {
    controls = controls.slice(1);
    bytes -= control.bytes.length + frameCost;
    bytesOfControls -= control.bytes.length + frameCost;
    return [control];
  };
  const take = (count: number): readonly Frame[] => {
    const taken = frames.slice(first, first + count);
    first += taken.length;
    for (const frame of taken) bytes -= frame.bytes.length + frameCost;
    if (first > 256 && first * 2 > frames.length) {
      frames = frames.slice(first);
      cameAt = cameAt.slice(first);
      first = 0;
    }
    return taken;
  };

  return {
    push(frame, now) {
      const isControl = frame.type === messageTypes.encryptedControl;
      const cost = frame.bytes.length + frameCost;
      // So what was taken out of a full queue finds room in another one, whatever comes first.
      const most = mostBytes + (isControl ? controlBytes : bytesOfControls);
      if (bytes + cost > most) return false;
      bytes += cost;
      if (isControl) {
        bytesOfControls += cost;
        controls.push(frame);
      } else {
        frames.push(frame);
        cameAt.push(now);
      }
      return true;
    },
    nextBytes(room) {
      const [control] = controls;
      if (control !== undefined) return control.bytes.length;
      const { count, sum } = findNext(room);
      return count === 0 ? 0 : Math.max(1, sum);
    },
    shift(room) {
      const [control] = controls;
      return control === undefined ? take(findNext(room).count) : takeControl(control);
    },
    takeAll() {
      const taken = [...controls, ...take(frames.length - first)];
      controls = [];
      [bytes, bytesOfControls] = [0, 0];
      return taken;
    },
    takeLate(now) {
      if (controls.length > 0) return none;
      let count = 0;
      while (patience?.isOver(findWait(first + count, now), now)) count++;
      return count === 0 ? none : take(count);
    },
    forgive(now) {
      forgivenAt = now;
    },
    isUrgent: () => controls.length > 0,
    isEmpty: () => controls.length === 0 && (first === frames.length || how.isHeld?.() === true),
    bytes: () => bytes,
    count: () => controls.length + frames.length - first,
  };
}
