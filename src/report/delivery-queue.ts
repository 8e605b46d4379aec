import { computeBackoffMs } from '../lib/backoff.ts';
import type { Outcome, Pace } from './notifier.ts';

/** Messages in their order; the first of them is under way. */
export function createDeliveryQueue<Message>(
  { capacity, maxTries, retry }: Pick<Pace, 'capacity' | 'maxTries' | 'retry'>,
  random: () => number = Math.random,
) {
  const messages: Message[] = [];
  let tries = 0;
  return {
    /**
     * Adds a message. Beyond the capacity the oldest waiting message is dropped, never the one
     * under way. True if the new message is itself under way.
     */
    add(message: Message): boolean {
      const isFirst = messages.push(message) === 1;
      if (messages.length > capacity) messages.splice(1, 1);
      return isFirst;
    },
    underWay: () => messages[0],
    /**
     * Notes the outcome of a try. Returns the ms until the next try; undefined once the message has
     * left the queue.
     */
    settle(outcome: Outcome): number | undefined {
      tries += 1;
      if (outcome.kind === 'delivered' || outcome.kind === 'refused' || tries >= maxTries) {
        messages.shift();
        tries = 0;
        return undefined;
      }
      // Never at once: with a small random number, a receiver that fails quickly would be called
      // without a pause.
      const leastMs = Math.max(retry.baseMs / 5, Math.min(outcome.retryAfterMs ?? 0, retry.maxMs));
      return Math.max(leastMs, computeBackoffMs(tries, retry, random));
    },
  };
}
