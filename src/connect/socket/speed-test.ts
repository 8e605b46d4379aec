import type { Id } from '../wire/id.ts';
import { readPath } from '../wire/transfer-frame.ts';
import type { Sighting } from './sighting.ts';

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
  /** What the last message was the end of; undefined where it ended nothing, and once taken. */
  takeSighting(): Sighting | undefined;
  wakeAt(): number;
}

/** Ignored, sent back unchanged, or a frame for us. */
type MessageUse = 'ignore' | 'echo' | 'frame';

const latencyLength = 16;
const controlLength = 5;
const testLength = 1024;
/** So many messages make a test that counts. */
const wholeTest = 512;
const starts = 1;
/** A test takes well under a second; one whose end never comes must not stop us. */
const longestHold = 3000;
/** On a slow line it takes longer, and what comes is still sent back. */
const longestTest = 30_000;
/**
 * Each kind of test is told of at most so often (ms): a platform that sends one after the other
 * must not keep the agent busy.
 */
const toldEvery = 1000;
/** What waits is bounded; what is above it is lost, and its sequences send it again. */
const mostHeld = 1024;

export function createSpeedTest(ownId: Id): SpeedTest {
  let test: { readonly startedAt: number; echoed: number } | undefined;
  let held: Buffer[] = [];
  let holdUntil = Number.POSITIVE_INFINITY;
  let isHolding = false;
  let sighting: Sighting | undefined;
  const toldAt = new Map<Sighting['kind'], number>();

  const see = (seen: Sighting, now: number): void => {
    if (now < (toldAt.get(seen.kind) ?? Number.NEGATIVE_INFINITY) + toldEvery) return;
    toldAt.set(seen.kind, now);
    sighting = seen;
  };
  const start = (now: number): void => {
    test = { startedAt: now, echoed: 0 };
    holdUntil = now + longestHold;
    isHolding = true;
  };
  const stop = (now: number): void => {
    if (test !== undefined) see(judgeTest(test.echoed, now - test.startedAt), now);
    test = undefined;
    isHolding = false;
  };
  const isChunk = (bytes: Buffer, now: number): boolean => {
    if (test === undefined || now >= test.startedAt + longestTest) return false;
    // Random bytes that name us as their destination come once in 2^128 tests.
    return bytes.length === testLength && readPath(bytes)?.destinationId !== ownId;
  };

  return {
    take(bytes, now) {
      if (bytes.length === latencyLength) {
        see({ kind: 'latency-test' }, now);
        return 'echo';
      }
      if (bytes.length === controlLength) {
        if (bytes[0] === starts) start(now);
        else stop(now);
        return 'echo';
      }
      if (bytes.length < latencyLength) return 'ignore';
      if (test === undefined || !isChunk(bytes, now)) return 'frame';
      test.echoed++;
      return 'echo';
    },
    hold(frame, now) {
      if (!isHolding || now >= holdUntil) return false;
      if (held.length < mostHeld) held.push(frame);
      return true;
    },
    release(now) {
      if (isHolding && now < holdUntil) return [];
      isHolding = false;
      holdUntil = Number.POSITIVE_INFINITY;
      const released = held;
      held = [];
      return released;
    },
    takeSighting() {
      const taken = sighting;
      sighting = undefined;
      return taken;
    },
    wakeAt: () => holdUntil,
  };
}

/** The speed as we see it: of what came between start and stop, by the time between them. */
function judgeTest(echoed: number, ms: number): Sighting {
  const bytesPerSecond = Math.round((echoed * testLength) / (Math.max(1, ms) / 1000));
  return { kind: 'speed-test', bytesPerSecond, isWhole: echoed === wholeTest };
}
