import { computeBackoffMs } from '../lib/backoff.ts';
import type { Outcome, Pace } from './notifier.ts';

/** Messages in their order, the first of them under way. */
export function createDeliveryQueue<Message>(
  { capacity, maxTries, retry }: Pick<Pace, 'capacity' | 'maxTries' | 'retry'>,
  random: () => number = Math.random,
) {
  const messages: Message[] = [];
  let tries = 0;
  return {
    /**
     * Beyond the capacity the oldest that waits is dropped, never the one under way. True: it is
     * under way itself.
     */
    add(message: Message): boolean {
      const isFirst = messages.push(message) === 1;
      if (messages.length > capacity) messages.splice(1, 1);
      return isFirst;
    },
    underWay: () => messages[0],
    /**
     * Notes what became of a try: the time until the next in ms; undefined: the message has left
     * the queue.
     */
    settle(outcome: Outcome): number | undefined {
      tries += 1;
      if (outcome.kind === 'delivered' || outcome.kind === 'refused' || tries >= maxTries) {
        messages.shift();
        tries = 0;
        return undefined;
      }
      // Never at once: a small random number would call a receiver that fails quickly in a hot
      // loop.
      const leastMs = Math.max(retry.baseMs / 5, Math.min(outcome.retryAfterMs ?? 0, retry.maxMs));
      return Math.max(leastMs, computeBackoffMs(tries, retry, random));
    },
  };
}
