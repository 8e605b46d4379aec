import { computeBackoffMs } from '../../lib/backoff.ts';
import { messageOf } from '../../lib/errors.ts';
import { hourMs } from '../../lib/units.ts';
import { createWakeup } from '../../lib/wakeup.ts';
import type { Logger } from '../../report/logger.ts';
import type { Notifier, Outcome, Pace } from '../../report/notifier.ts';
import { createStateLogger } from '../../report/state-logger.ts';
import type { Loop } from '../run-loop.ts';
import type { NoteDelivery } from './deliveries.ts';

const untilNotifiedMs = hourMs;

/**
 * Two loops: one looks for news and never waits for the other, which delivers one message after
 * another.
 */
export function createNotifierLoops<Message>(
  notifier: Notifier<Message>,
  log: Logger,
  noteDelivery?: NoteDelivery,
): readonly Loop[] {
  const { name, host, pace } = notifier;
  const queue = createDeliveryQueue<Message>(pace);
  const wakeup = createWakeup();
  const states = createStateLogger(log);

  // What the owner is told is optional: a fault of it is told, and never ends the agent.
  const lookSafely = () => {
    try {
      return notifier.look();
    } catch (error) {
      states.note({
        topic: `${name} watch`,
        state: `failing: ${messageOf(error)}`,
        level: 'error',
        message: name,
        fields: { host, reason: messageOf(error) },
      });
      return undefined;
    }
  };
  const deliverSafely = async (message: Message, signal: AbortSignal): Promise<Outcome> => {
    try {
      return await notifier.deliver(message, signal);
    } catch (error) {
      return { kind: 'failed', reason: messageOf(error) };
    }
  };

  const look = async () => {
    const message = lookSafely();
    // A message behind another one waits its turn: a try that is due later is not made earlier.
    if (message !== undefined && queue.add(message)) wakeup.notify();
    return pace.lookMs;
  };

  const deliver = async (signal: AbortSignal) => {
    const message = queue.underWay();
    if (message === undefined) return untilNotifiedMs;
    const outcome = await deliverSafely(message, signal);
    if (signal.aborted) return 0;
    noteDelivery?.(notifier, outcome);
    const retryMs = queue.settle(outcome);
    if (outcome.kind === 'delivered') {
      states.note({
        topic: name,
        state: 'delivered',
        level: 'info',
        message: name,
        fields: { host, state: 'delivered' },
      });
    } else if (retryMs === undefined) {
      log.warn(
        { host, reason: outcome.reason },
        `${name} delivery failed; the message was dropped`,
      );
    } else {
      const { kind, reason } = outcome;
      const state = kind === 'lost' ? kind : `failing: ${reason}`;
      states.note({
        topic: name,
        state,
        level: 'warn',
        message: name,
        fields: { host, state, reason },
      });
    }
    return retryMs ?? 0;
  };

  return [
    { name: `${name} watch`, isOptional: true, tick: look },
    { name: `${name} delivery`, isOptional: true, tick: deliver, wakeup },
  ];
}

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
