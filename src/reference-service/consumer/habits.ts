import { Encoder } from '../../connect/wire/encoder.ts';
import { type Frame, toFrame } from '../../connect/wire/frame.ts';
import { messageTypes } from '../../connect/wire/message-types.ts';

/**
 * What programs of consumers do besides sending packets. An app pings its provider; in its direct
 * mode it also tries to reach the provider without the platform, which a provider acknowledges and
 * ignores. A plain program does neither.
 */
export const manners = ['plain', 'app', 'direct'] as const;
export type Manner = (typeof manners)[number];

/** What is to be sent by habit, and when. Times are in ms. */
export interface Habits {
  /** Pings and signals that are due. */
  step(now: number): HabitFrames;
  /** The provider sent a ping back. */
  echoed(content: Buffer): void;
  wakeAt(): number;
  /** Pings that were not answered within half a minute. */
  unanswered(): number;
}

interface HabitFrames {
  readonly pings: readonly Frame[];
  readonly signals: readonly Frame[];
}

export interface HabitsOptions {
  readonly manner: Manner;
  readonly randomBytes: (length: number) => Buffer;
  /** How many of the platform's ms pass in one of ours: habits follow it. */
  readonly rate: number;
}

const pingEvery = 15_000;
const signalEvery = 15_000;
const longestPing = 30_000;
const pingLength = 8;
/** About what an offer of one way takes. */
const signalLength = 300;

export function createHabits({ manner, randomBytes, rate }: HabitsOptions): Habits {
  const pinged = new Map<string, number>();
  let pingAt = manner === 'plain' ? Number.POSITIVE_INFINITY : 0;
  let signalAt = manner === 'direct' ? 0 : Number.POSITIVE_INFINITY;
  let unanswered = 0;

  const ping = (now: number): Frame => {
    pingAt = now + pingEvery / rate;
    const bytes = randomBytes(pingLength);
    pinged.set(bytes.toString('latin1'), now);
    return { type: messageTypes.ipPing, bytes, isRaw: true };
  };
  const signal = (now: number): Frame => {
    signalAt = now + signalEvery / rate;
    const encoder = new Encoder();
    encoder.bytes(1, randomBytes(signalLength));
    return toFrame(messageTypes.signals, encoder.finish());
  };

  return {
    step(now) {
      for (const [content, at] of pinged) {
        if (now - at < longestPing) break;
        pinged.delete(content);
        unanswered++;
      }
      return {
        pings: now >= pingAt ? [ping(now)] : [],
        signals: now >= signalAt ? [signal(now)] : [],
      };
    },
    echoed: (content) => void pinged.delete(content.toString('latin1')),
    wakeAt: () => Math.min(pingAt, signalAt),
    unanswered: () => unanswered,
  };
}
