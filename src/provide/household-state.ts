import { tuning } from './household-tuning.ts';

/**
 * What is measured on the line each half second while the device shares. Rates are bits per second.
 */
export interface LineSample {
  /** Monotonic time in ms. */
  readonly atMs: number;
  /** How long a connection to a place beyond the home's line took; undefined if none was made. */
  readonly delayMs: number | undefined;
  /** What is shared, as it is on the line, each way. */
  readonly loadBits: number;
  /** What this device sends and receives for itself; 0 where that is unknown. */
  readonly ownBits: number;
  /** The owner's limit; Infinity without one. */
  readonly ceilingBits: number;
}

/**
 * What is known of the line's end. `learning`: nothing sure, because another may have used the line
 * or traffic came in a burst. `seeking`: the rate grows on a calm line to find the end. `found`:
 * the rate then felt the end.
 */
export type Stage = 'learning' | 'seeking' | 'found';

/** What is remembered between two samples. It is plain data. */
export interface HouseholdState {
  /** The rate that is left for sharing; Infinity while it is not limited. */
  readonly rateBits: number;
  /** The most shared traffic that the line was seen to carry; 0 before the first cut. */
  readonly lineBits: number;
  /** How sure it is that `lineBits` is where the line ends. */
  readonly stage: Stage;
  /**
   * The least delay of each ten seconds of the last five minutes, by the number of the ten seconds.
   */
  readonly minima: readonly (readonly [number, number])[];
  /**
   * How far delays are above the least, on average, while little is shared: the noise of the way.
   */
  readonly noiseMs: number;
  /** How many delays in a row were late; a slow one counts half. */
  readonly late: number;
  /** How far delays were above the least in the last seconds, on average. */
  readonly recentMs: number;
  /** The last delay that was measured, and when. */
  readonly last: { readonly atMs: number; readonly delayMs: number } | undefined;
  /** Until this time nothing is given back after a cut. */
  readonly heldUntilMs: number;
}

export const beginHousehold: HouseholdState = {
  rateBits: Number.POSITIVE_INFINITY,
  lineBits: 0,
  stage: 'learning',
  minima: [],
  noiseMs: 0,
  late: 0,
  recentMs: 0,
  last: undefined,
  heldUntilMs: Number.NEGATIVE_INFINITY,
};

/** True while delays show that no one else uses the line. */
export function isCalm({ recentMs, noiseMs }: HouseholdState): boolean {
  return recentMs < Math.max(tuning.calmMs, tuning.calmNoiseTimes * noiseMs);
}

/** True while the end is known and the rate is well below it. */
export function isBelowEnd({ stage, rateBits, lineBits }: HouseholdState): boolean {
  return stage === 'found' && rateBits < tuning.endPart * lineBits;
}
