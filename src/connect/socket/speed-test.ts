import type { Id } from '../wire/id.ts';
import { readPath } from '../wire/transfer-frame.ts';

/**
 * The platform measures our line with 512 messages of 1,024 bytes that come back, and counts
 * whatever else it gets meanwhile: then the sum is wrong, the test is void, and no other follows.
 * So between the two echoes nothing is sent but echoes; frames of our own wait.
 */
export interface SpeedTest {
  /** What to do with a binary message, by its length. */
  take(bytes: Buffer, now: number): MessageUse;
  /** True where the frame waits; it is given back by `release`. */
  hold(frame: Buffer, now: number): boolean;
  /** Frames that waited, once the test is over. */
  release(now: number): readonly Buffer[];
  wakeAt(): number;
}

/** Ignored, sent back unchanged, or a frame for us. */
type MessageUse = 'ignore' | 'echo' | 'frame';

const latencyLength = 16;
const controlLength = 5;
const testLength = 1024;
const starts = 1;
/** A test takes well under a second; one whose end never comes must not stop us. */
const longestHold = 3000;
/** What waits is bounded; what is above it is lost, and its sequences send it again. */
const mostHeld = 1024;

export function createSpeedTest(ownId: Id): SpeedTest {
  let held: Buffer[] = [];
  let until = Number.POSITIVE_INFINITY;
  let isOn = false;

  const control = (bytes: Buffer, now: number): MessageUse => {
    isOn = bytes[0] === starts;
    until = isOn ? now + longestHold : Number.POSITIVE_INFINITY;
    return 'echo';
  };

  return {
    take(bytes, now) {
      if (bytes.length === latencyLength) return 'echo';
      if (bytes.length === controlLength) return control(bytes, now);
      if (bytes.length < latencyLength) return 'ignore';
      // Random bytes that name us as their destination come once in 2^128 tests.
      const isTest = isOn && bytes.length === testLength;
      return isTest && readPath(bytes)?.destinationId !== ownId ? 'echo' : 'frame';
    },
    hold(frame, now) {
      if (!isOn || now >= until) return false;
      if (held.length < mostHeld) held.push(frame);
      return true;
    },
    release(now) {
      if (isOn && now < until) return [];
      isOn = false;
      until = Number.POSITIVE_INFINITY;
      const released = held;
      held = [];
      return released;
    },
    wakeAt: () => until,
  };
}
