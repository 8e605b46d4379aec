import type { Frame } from '../wire/frame.ts';

/** Frames that wait for the window, oldest first, bounded by their bytes. */
export interface OutgoingQueue {
  /** False where it is full. */
  push(frame: Frame): boolean;
  /** Bytes of the frames that the next Pack takes; 0 where nothing waits. */
  nextBytes(most: number): number;
  /** Those frames: two where both fit into `most` bytes, else one. */
  shift(most: number): readonly Frame[];
  isEmpty(): boolean;
  bytes(): number;
  dropped(): number;
}

/** A frame costs memory beside its bytes, so empty ones are counted too. */
export const frameCost = 64;

export function createOutgoingQueue(mostBytes: number): OutgoingQueue {
  let frames: Frame[] = [];
  let first = 0;
  let bytes = 0;
  let dropped = 0;

  const nextCount = (most: number): number => {
    const one = frames[first];
    const two = frames[first + 1];
    if (one === undefined) return 0;
    return two !== undefined && one.bytes.length + two.bytes.length <= most ? 2 : 1;
  };

  return {
    push(frame) {
      if (bytes + frame.bytes.length + frameCost > mostBytes) {
        dropped++;
        return false;
      }
      frames.push(frame);
      bytes += frame.bytes.length + frameCost;
      return true;
    },
    nextBytes(most) {
      const count = nextCount(most);
      let sum = 0;
      for (let at = first; at < first + count; at++) sum += (frames[at] as Frame).bytes.length;
      return count === 0 ? 0 : Math.max(1, sum);
    },
    shift(most) {
      const count = nextCount(most);
      const taken = frames.slice(first, first + count);
      first += count;
      for (const frame of taken) bytes -= frame.bytes.length + frameCost;
      if (first > 256 && first * 2 > frames.length) {
        frames = frames.slice(first);
        first = 0;
      }
      return taken;
    },
    isEmpty: () => first === frames.length,
    bytes: () => bytes,
    dropped: () => dropped,
  };
}
