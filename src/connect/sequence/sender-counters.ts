/** What a sequence has sent, and what waits. */
export interface SenderCounters {
  readonly packs: number;
  /** Packs that were sent again, probes included. */
  readonly resent: number;
  readonly probes: number;
  /** Times at which selective acks were forgotten, because nothing came of them. */
  readonly distrusted: number;
  readonly queuedBytes: number;
  readonly queuedFrames: number;
  readonly unackedBytes: number;
}
