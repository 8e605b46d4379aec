/**
 * Every number that decides how sharing yields to the household. Units are in the names: bits per
 * second, ms; a `…Part` is a part of one, a `…Factor` multiplies a rate at each sample, and
 * samples come twice a second.
 */
export const tuning = {
  /** This part of the line is always left for consumers, so that their connections go on. */
  floorPart: 0.02,
  /** What is left on a slow line. This device's own traffic below it does not count either. */
  leastBits: 128e3,

  /** A delay is late when it is this much above the least one on a quiet way. */
  leastRiseMs: 15,
  /** Wi-Fi has delays of its own, so a late delay is also this many times above the noise. */
  noiseTimes: 4,
  /** No noise is believed to explain more than this. */
  mostRiseMs: 60,
  /** A delay above this part of the rise is slow: it counts half, because BBR causes no longer. */
  slowPart: 0.5,
  /** The noise is an average of about so many samples. */
  noiseSamples: 16,
  /** How late the last delays were is an average of about so many samples. */
  recentSamples: 5,
  /** The least delay is kept for each time of this length. */
  bucketMs: 10_000,
  /** So many of them are kept, so a way that became longer is known after five minutes. */
  buckets: 30,

  /** Below this part of the rate, consumers want no more than they get. */
  freePart: 0.5,
  /** Shared traffic below this part of the line is taken to cause no delays. */
  quietPart: 0.3,
  /** The line, as long as nothing is known of it. */
  unknownLineBits: 1e6,
  /** This device's own traffic counts from shared traffic divided by this. */
  ownDivisor: 10,

  /** Above this part of the line, a growing rate may reach the line's end. */
  endPart: 0.85,
  /** Delays this close to the least show that no one else uses the line. */
  calmMs: 2,
  /** On a noisy way, delays this many times the noise show it too. */
  calmNoiseTimes: 2,
  /** Delays that are long again this soon after a cut were not ended by it. */
  repeatMs: 2_000,
  /** This long after a cut, its effects are over. */
  forgetMs: 10_000,
  /** Without an answer for this long, everything that was learnt is given up. */
  blindMs: 60_000,

  /** A rate of which less than this part is used means nothing for what the line carries. */
  usedPart: 0.3,
  /** A line that seems to end earlier than it did is believed to be this part of it. */
  shrinkPart: 0.9,

  /** The rate grows only while more than this part of it is used: else it holds nothing back. */
  pressedPart: 0.7,
  /** On a calm line the rate may grow by a quarter a sample. */
  calmGrowthFactor: 1.25,
  /** On a busy line it grows little, because someone else uses it. */
  busyGrowthFactor: 1.02,
  /** Growth below the known end stops at this part of the line. */
  stopPart: 0.95,
  /** At the known end the rate only creeps. */
  creepFactor: 1.01,
  /** It creeps faster when nothing was late for `patienceMs`. */
  patientCreepFactor: 1.03,
  patienceMs: 30_000,
  /** A rate this far beyond the presumed end shows that the end lies elsewhere. */
  beyondFactor: 1.08,
} as const;

/** The part of the rate that is left by a cut, and for how many ms it stays so. */
export interface Cut {
  readonly factor: number;
  readonly holdMs: number;
}

export const cuts = {
  /** Shows what delays are like while nothing waits: the share may have filled the line. */
  trial: { factor: 0.75, holdMs: 2_000 },
  /** Lets the queue empty that the share has made at the line's end. */
  slight: { factor: 0.96, holdMs: 1_000 },
  /** Leaves the line to the household, whose download may grow by a quarter in 0.3 s. */
  whole: { factor: 0, holdMs: 2_000 },
} as const satisfies Readonly<Record<string, Cut>>;
