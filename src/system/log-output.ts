import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { messageOf, systemCodeOf } from '../lib/errors.ts';

/**
 * Where the log goes. Whatever becomes of its reader or its disk, nobody waits for it and nothing
 * ends by it: lines wait in memory up to a limit, then they are dropped and counted.
 */
export interface LogOutput {
  readonly isTTY: boolean;
  /** Takes a line. Never throws and never waits. */
  write(line: string): void;
  /** Why lines cannot be written; undefined while they can. */
  trouble(): LogTrouble | undefined;
  /** How many lines were dropped since the start. */
  droppedLines(): number;
  /**
   * Has `tell` write how many lines were dropped before it, in the log itself, as soon as the log
   * can be written again.
   */
  onDropped(tell: (lines: number) => void): void;
  /** Resolves when all is written, and after a second at the latest. */
  flush(): Promise<void>;
}

interface LogTrouble {
  readonly reason: string;
  readonly since: Date;
}

/** Lines of this many bytes wait at most, of a log that is not or too slowly read. */
const waitingLimitBytes = 256 * 1024;
/** A reader that has taken nothing for this long (ms) no longer reads. */
const noReadMs = 10_000;
const tryAgainMs = 500;
const flushMs = 1_000;

/**
 * Writes to an open file of this process. Node's own stream would keep what a slow reader does not
 * take without a limit, and would be of no use any more after its first failure.
 */
export function openLogOutput(descriptor: number): LogOutput {
  const isTTY = isatty(descriptor);
  const send = chooseSend(descriptor);
  let [waiting, waitingBytes]: [string[], number] = [[], 0];
  let part = Buffer.alloc(0);
  let isSending = false;
  let [dropped, untold] = [0, 0];
  let tell: (lines: number) => void = () => undefined;
  let failing: (LogTrouble & { readonly isStill: boolean; readonly fromMs: number }) | undefined;
  let isWaiting = false;
  const fail = (error: unknown) => {
    const isStill = systemCodeOf(error) === 'EAGAIN';
    const reason = isStill ? 'its reader no longer reads' : messageOf(error);
    if (failing?.reason !== reason)
      failing = { reason, isStill, since: new Date(), fromMs: performance.now() };
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(() => {
      isWaiting = false;
      pump();
    }, tryAgainMs).unref();
  };
  const pump = () => {
    if (isSending) return;
    if (part.length === 0) {
      if (waiting.length === 0) return;
      part = Buffer.from(waiting.join(''));
      [waiting, waitingBytes] = [[], 0];
    }
    isSending = true;
    send(part, (error, written) => {
      isSending = false;
      if (error) return fail(error);
      failing = undefined;
      part = part.subarray(written);
      if (part.length === 0) tellDropped();
      pump();
    });
  };
  const tellDropped = () => {
    if (untold === 0) return;
    const lines = untold;
    untold = 0;
    tell(lines);
  };
  return {
    isTTY,
    write(line) {
      const isFull = waitingBytes + part.length + line.length > waitingLimitBytes;
      // What comes after a gap waits until the gap is told, so that no line is in the wrong place.
      if (isFull || untold > 0) {
        dropped += 1;
        untold += 1;
      } else {
        waiting.push(line);
        waitingBytes += line.length;
      }
      pump();
    },
    trouble() {
      if (failing === undefined) return undefined;
      const { isStill, fromMs, reason, since } = failing;
      return isStill && performance.now() - fromMs < noReadMs ? undefined : { reason, since };
    },
    droppedLines: () => dropped,
    onDropped(listener) {
      tell = listener;
    },
    async flush() {
      const deadlineMs = performance.now() + flushMs;
      const isDone = () => part.length === 0 && waiting.length === 0;
      while (!isDone() && performance.now() < deadlineMs) {
        pump();
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}

type Send = (part: Buffer, done: (error: unknown, writtenBytes: number) => void) => void;

function chooseSend(descriptor: number): Send {
  // A disk may be slow, and a file has no other way not to wait for it.
  if (fstatSync(descriptor).isFile()) return (part, done) => void write(descriptor, part, done);
  const own = openAgain(descriptor);
  return (part, done) => {
    let written = 0;
    try {
      written = writeSync(own, part);
    } catch (error) {
      return done(error, 0);
    }
    done(undefined, written);
  };
}

/**
 * The pipe or terminal once more, without waiting: whether a write waits is shared with all
 * programs that have the first one, and Node makes a terminal's writes wait. A socket cannot be
 * opened again; Node has made its writes not wait.
 */
function openAgain(descriptor: number): number {
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    return openSync(`/proc/self/fd/${descriptor}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    return descriptor;
  }
}
