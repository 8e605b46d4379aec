/**
 * How long a Pack and its ack take together, in ms, from the tags that acks bring back. A Pack that
 * is sent again carries a new tag, so each sample belongs to one sending of it: with the tag of the
 * first one, samples would grow with each loss, and holes would wait ever longer.
 */
export interface RoundTrip {
  sample(ms: number): void;
  /** The smoothed time; undefined before the first sample. */
  mean(): number | undefined;
  /** The shortest of the last minutes: what the path takes when nothing queues on it. */
  shortest(): number | undefined;
  /** How far samples stray from the mean. */
  deviation(): number;
}

export function createRoundTrip(): RoundTrip {
  let mean: number | undefined;
  let deviation = 0;
  let shortest: number | undefined;
  return {
    sample(ms) {
      // The tag is whatever the peer chose to send back.
      if (!(ms >= 0 && ms <= longestSample)) return;
      if (mean === undefined || shortest === undefined) {
        mean = ms;
        shortest = ms;
        deviation = ms / 2;
        return;
      }
      deviation += (Math.abs(ms - mean) - deviation) / 4;
      mean += (ms - mean) / 8;
      shortest = ms < shortest ? ms : shortest + (ms - shortest) * shortestRises;
    },
    mean: () => mean,
    shortest: () => shortest,
    deviation: () => deviation,
  };
}

/** A tag from before the sequence would have ended says nothing of the path. */
const longestSample = 60_000;
/** The shortest time creeps up with each sample, so that a path that became longer is believed. */
const shortestRises = 1 / 1024;
