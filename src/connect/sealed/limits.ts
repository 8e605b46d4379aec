/**
 * What one peer, and all of them together, can have us keep and do for handshakes. Each is well
 * above what an honest peer needs, and low enough that a thousand others cost little.
 */
export const sealedLimits = {
  /** Of one handshake: a whole one takes two kilobytes of the peer. */
  handshakeBytes: 16 * 1024,
  /** Of one control: the longest honest one carries a flight with two certificates, of 4 KiB. */
  controlBytes: 8 * 1024,
  /** Our flight is cut, so that each part fits into a Pack beside a contract of 1.5 KiB. */
  partBytes: 1100,
  /** Of ours, where no contract comes by which to send them. A handshake has three of them. */
  queuedControls: 64,
  /**
   * A peer's, of a handshake whose beginning has not come yet: its second flight and its proof are
   * two, and the same two of another one may have overtaken them.
   */
  waitingControls: 8,
  /** And so many bytes of them: the longest honest flight, once and nearly twice. */
  waitingBytes: 8 * 1024,
  /**
   * A peer's, that were acted on before their turn, so that nothing is done twice. Where there are
   * more, the oldest is forgotten: to act twice on a control of an old handshake does nothing.
   */
  earlyControls: 32,
  /**
   * New handshakes of one session in a minute: a peer that is told to begin again does so at most
   * every five seconds.
   */
  epochsPerMinute: 12,
  /** TLS objects that wait for their peers, of all sessions: each holds some 85 KiB. */
  handshakes: 64,
  /** A peer answers within a second, on any line; then its half of a handshake is given up. */
  halfOpenMs: 15_000,
  /** From the first bytes to a proof that is good; then frames go on in plaintext. */
  proofMs: 60_000,
  /** Our proof goes again after these pauses, until the peer shows that it has it. */
  proofPauses: [2000, 4000, 8000, 16_000],
  /** What cannot be opened comes by the thousand, and one nack of them says it all. */
  nackEveryMs: 1000,
  /**
   * A proven key of a silent consumer is kept for so long. Programs let theirs go after five
   * minutes in which none of their sequences was there, and a sequence lasts for five minutes of
   * silence; one minute more is for what is under way.
   */
  keyKeptMs: 11 * 60_000,
  /**
   * Of those that seal and are not known, the service is asked about so many in so long, each of
   * them once a minute at most where it knows nothing of them: a house has a few dozen consumers,
   * who are all told within half a minute, and a thousand strangers cost two requests a second.
   */
  unknownAsks: 16,
  unknownPaceMs: 8000,
  unknownAgainMs: 60_000,
  /** A peer that is asked for a new handshake begins it at once, and at most so often. */
  renewEveryMs: 5000,
  /**
   * A new handshake is asked for then. Nonces are random, and above 2^32 frames of one key two
   * equal ones would not be unlikely any more.
   */
  framesOfKey: 2 ** 30,
} as const;
