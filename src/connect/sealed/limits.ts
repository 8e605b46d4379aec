/** What one peer, and all of them together, can have us keep and do for handshakes. */
export const sealedLimits = {
  /** Of one handshake: a whole one takes two kilobytes of the peer. */
  handshakeBytes: 16 * 1024,
  controlBytes: 8 * 1024,
  /** Controls that wait to be sent. */
  queuedControls: 64,
  /** New handshakes of one session in a minute. */
  epochsPerMinute: 12,
  /** TLS objects that wait for their peers, of all sessions: each holds some 20 KiB. */
  handshakes: 64,
  /** A peer answers within a second, on any line; then its half of a handshake is given up. */
  halfOpenMs: 15_000,
  /** From the first bytes to a proof that is good; then frames go on in plaintext. */
  proofMs: 60_000,
  nackEveryMs: 1000,
  /** A peer that is asked for a new handshake begins it at once, and at most so often. */
  renewEveryMs: 5000,
  /**
   * A new handshake is asked for then. Nonces are random, and above 2^32 frames of one key two
   * equal ones would not be unlikely any more.
   */
  framesOfKey: 2 ** 30,
} as const;
