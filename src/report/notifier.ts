import type { BackoffBounds } from '../lib/backoff.ts';

/** One receiver of what the agent does: what is new for it, and the way there. */
export interface Notifier<Message> {
  readonly name: 'mqtt' | 'webhook';
  /** For the log; the rest of the address may be a secret. */
  readonly host: string;
  readonly pace: Pace;
  /** What is new since the last look; undefined: nothing. */
  readonly look: () => Message | undefined;
  readonly deliver: (message: Message, signal: AbortSignal) => Promise<Outcome>;
}

/**
 * How often is looked, how many messages are kept, and how often and how soon one is tried again.
 */
export interface Pace {
  readonly lookMs: number;
  /** The message under way is one of them. */
  readonly capacity: number;
  readonly maxTries: number;
  readonly retry: BackoffBounds;
}

/** What became of one try. A `reason` is logged, so it never holds a secret. */
export type Outcome =
  | { readonly kind: 'delivered' }
  /** Another try would be refused as well. */
  | { readonly kind: 'refused'; readonly reason: string }
  /**
   * Worth another try, in `retryAfterMs` at the earliest; `lost`: a connection that had been there.
   */
  | { readonly kind: 'failed' | 'lost'; readonly reason: string; readonly retryAfterMs?: number };
