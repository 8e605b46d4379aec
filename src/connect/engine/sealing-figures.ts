/** Encryption with consumers; all but the first grow. */
export interface SealingFigures {
  /** Consumers that are answered sealed now. */
  readonly consumers: number;
  /** Handshakes by which both ends have proven who they are. */
  readonly handshakes: number;
  /** Those that were given up, by reason. */
  readonly refusedHandshakes: Readonly<Record<string, number>>;
  /** Messages that were sealed, and that were opened. */
  readonly sealedMessages: number;
  readonly openedMessages: number;
  /** Messages that no key opens. */
  readonly unopenedMessages: number;
  /** How long that took, in ms; absent in what an engine of an earlier version says. */
  readonly workMs?: number | undefined;
}
