import { createWakeup, type Wakeup } from '../../lib/wakeup.ts';
import { patienceMs } from '../../system/line-probe.ts';
import type { Ping } from '../../system/ping.ts';

/** One place that is asked by ping. */
export interface PingWatch {
  /**
   * The newest delay (ms), or the next one: within a second. As many ms where a place that answered
   * before says nothing, and undefined where it never did. `silent`: it is not worth asking.
   */
  next(signal: AbortSignal): Promise<number | undefined | 'silent'>;
  /** Ends the ping; safe to repeat. */
  end(): void;
}

/** A place that never answered is given up after this many seconds. */
const mostFirstSilences = 3;
/**
 * One that did answer has more: a line's queue may be longer than a second, and it takes a moment
 * to empty.
 */
const mostSilences = 6;
/**
 * A ping prints two lines a second. Where so many come in one, someone on the way makes them: it
 * answers each packet many times.
 */
const mostLinesASecond = 20;

/** Starts a ping that lasts until `end`, or until the signal aborts. */
export function createPingWatch(ping: Ping, address: string, signal: AbortSignal): PingWatch {
  const over = new AbortController();
  let news: Wakeup | undefined;
  let fresh: number | undefined;
  let hasAnswered = false;
  let silences = 0;
  let second = { fromMs: performance.now(), lines: 0 };
  let isFlooded = false;
  const end = () => {
    over.abort();
    signal.removeEventListener('abort', end);
  };
  const countLine = () => {
    const nowMs = performance.now();
    if (nowMs - second.fromMs >= 1_000) second = { fromMs: nowMs, lines: 0 };
    second.lines += 1;
    if (second.lines <= mostLinesASecond) return;
    isFlooded = true;
    end();
    news?.notify();
  };
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  ping.keepAsking(
    address,
    (said) => {
      countLine();
      if (said?.kind !== 'answer' || said.from !== address) return;
      fresh = Math.min(patienceMs, said.delayMs);
      news?.notify();
    },
    over.signal,
  );
  return {
    async next(stop) {
      if (fresh === undefined) {
        news = createWakeup();
        await news.wait(patienceMs, stop);
      }
      const delayMs = fresh;
      fresh = undefined;
      if (isFlooded) return 'silent';
      if (delayMs !== undefined) {
        hasAnswered = true;
        silences = 0;
        return delayMs;
      }
      silences += 1;
      if (silences >= (hasAnswered ? mostSilences : mostFirstSilences)) return 'silent';
      return hasAnswered ? patienceMs : undefined;
    },
    end,
  };
}
