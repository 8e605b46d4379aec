import type { Frame } from '../wire/frame.ts';
import { messageTypes } from '../wire/message-types.ts';
import type { Patience } from './patience.ts';

/** Frames that wait for the window, oldest first, bounded by their bytes. */
export interface OutgoingQueue {
  /** False where it is full. Controls of encryption go before everything else. */
  push(frame: Frame, now: number): boolean;
  /** Bytes of the frames that the next Pack takes; 0 where nothing waits. */
  nextBytes(most: number): number;
  /** Those frames: two where both fit into `most` bytes, else one. */
  shift(most: number): readonly Frame[];
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

/** A frame costs memory beside its bytes, so empty ones are counted too. */
export const frameCost = 64;
const none: readonly Frame[] = [];

export function createOutgoingQueue(
  mostBytes: number,
  how: {
    /** Without it, what waits is never dropped. */
    readonly patience?: Patience | undefined;
    /** All but controls has to wait. */
    readonly isHeld?: (() => boolean) | undefined;
  },
): OutgoingQueue {
  const { patience } = how;
  let controls: Frame[] = [];
  let frames: Frame[] = [];
  /** When each of them came. */
  let cameAt: number[] = [];
  let first = 0;
  let bytes = 0;
  let forgivenAt = Number.NEGATIVE_INFINITY;

  const nextCount = (most: number): number => {
    const one = frames[first];
    const two = frames[first + 1];
    if (one === undefined) return 0;
    return two !== undefined && one.bytes.length + two.bytes.length <= most ? 2 : 1;
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
      if (bytes + frame.bytes.length + frameCost > mostBytes) return false;
      bytes += frame.bytes.length + frameCost;
      if (frame.type === messageTypes.encryptedControl) controls.push(frame);
      else {
        frames.push(frame);
        cameAt.push(now);
      }
      return true;
    },
    nextBytes(most) {
      const [control] = controls;
      if (control !== undefined) return control.bytes.length;
      const count = nextCount(most);
      let sum = 0;
      for (let at = first; at < first + count; at++) sum += (frames[at] as Frame).bytes.length;
      return count === 0 ? 0 : Math.max(1, sum);
    },
    shift(most) {
      const [control] = controls;
      return control === undefined ? take(nextCount(most)) : takeControl(control);
    },
    takeAll() {
      const taken = [...controls, ...take(frames.length - first)];
      controls = [];
      bytes = 0;
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
