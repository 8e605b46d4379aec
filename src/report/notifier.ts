import type { BackoffBounds } from '../lib/backoff.ts';

/** One receiver of news about the agent: finds what is new for it, and delivers it. */
export interface Notifier<Message> {
  readonly name: 'mqtt' | 'webhook';
  /** The receiver's host, for the log; the rest of its address may be secret. */
  readonly host: string;
  readonly pace: Pace;
  /** What is new since the last look; undefined if nothing is. */
  readonly look: () => Message | undefined;
  readonly deliver: (message: Message, signal: AbortSignal) => Promise<Outcome>;
}

/**
 * How often to look for news, how many messages to keep, and how often and how soon to retry one.
 */
export interface Pace {
  readonly lookMs: number;
  /** How many messages are kept, the one under way included. */
  readonly capacity: number;
  readonly maxTries: number;
  readonly retry: BackoffBounds;
}

/** The outcome of one try. A `reason` is logged, so it must never hold a secret. */
export type Outcome =
  | { readonly kind: 'delivered' }
  /** The receiver refused it and would refuse another try as well. */
  | { readonly kind: 'refused'; readonly reason: string }
  /**
   * Another try may work, after `retryAfterMs` at the earliest. `lost` means that a connection had
   * been made before.
   */
  | { readonly kind: 'failed' | 'lost'; readonly reason: string; readonly retryAfterMs?: number };
