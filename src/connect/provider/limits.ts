/**
 * What all consumers of an engine take together at most, whatever they send. A consumer takes 6 kB
 * and each of its lanes 7 kB, so 4,096 of them take 80 MB; a Pack that is held takes three times
 * its bytes, so the full budget for them takes 45 MB more. A house has a few dozen consumers.
 */
export const engineLimits = {
  consumers: 4096,
  lanes: 8192,
  /** 2 classes of stream, 2 of companion and 9 lanes are possible; programs use three. */
  lanesOfOne: 16,
  /** Packs that came before their turn. */
  receiveBytes: 16 * 1024 * 1024,
  /** Answers that wait, and those that are on their way. */
  sendBytes: 32 * 1024 * 1024,
} as const;
