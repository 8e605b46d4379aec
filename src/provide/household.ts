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

/** What is remembered between two samples. It is plain data. */
export interface HouseholdState {
  /** The rate that is left for sharing; Infinity while it is not limited. */
  readonly rateBits: number;
  /** The most shared traffic that the line was seen to carry; 0 before the first cut. */
  readonly lineBits: number;
  /**
   * Whether `lineBits` is where the line ends. `unknown`: another may have used the line, or it was
   * a burst. `sought`: the rate grew on a calm line to find the end. `found`: it then felt the end.
   */
  readonly end: 'unknown' | 'sought' | 'found';
  /**
   * The least delay of each ten seconds of the last five minutes, by the number of the ten seconds.
   */
  readonly minima: readonly (readonly [number, number])[];
  /**
   * How far delays are above the least, on average, while little is shared: the noise of the way.
   */
  readonly noiseMs: number;
  /** How many delays in a row were too long. */
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
  end: 'unknown',
  minima: [],
  noiseMs: 0,
  late: 0,
  recentMs: 0,
  last: undefined,
  heldUntilMs: Number.NEGATIVE_INFINITY,
};

/** This share of the line is always left for consumers, so that their connections go on. */
const floorPart = 0.02;
const leastBits = 128e3;
const riseMs = 15;
/**
 * Wi-Fi has delays of its own, so only a rise above four times the noise counts. No noise is
 * believed to explain more than this.
 */
const mostRiseMs = 60;
/**
 * While the line's end is unknown, less shared traffic than a part of this is taken to cause no
 * delays.
 */
const quietBits = 1e6;
const quietPart = 0.3;
const bucketMs = 10_000;
const buckets = 30;
const forgetMs = 10_000;
/** Above this part of the line, a growing rate may reach the line's end. */
const endPart = 0.85;
/** Delays this close to the least show that no one else uses the line. */
const calmMs = 2;
/** Without an answer for this long, everything that was learnt is given up. */
const blindMs = 60_000;
/** Delays that are long again this soon after a cut were not ended by it. */
const repeatMs = 2_000;

/**
 * Decides the rate after one more sample, like cake-autorate (github.com/lynxthecat/cake-autorate):
 * it is cut while delays are long, and grows slowly while they are not.
 */
export function takeLineSample(before: HouseholdState, sample: LineSample): HouseholdState {
  const { delayMs } = sample;
  // Before the first cut only the owner's limit holds the rate.
  const heldBits = before.lineBits === 0 ? Number.POSITIVE_INFINITY : before.rateBits;
  const rateBits = Math.min(heldBits, sample.ceilingBits);
  // Without answers nothing is known about the household any more, so the owner's limit alone
  // holds.
  const isBlind = before.last !== undefined && sample.atMs - before.last.atMs > blindMs;
  if (delayMs === undefined) return isBlind ? beginHousehold : { ...before, rateBits };
  const { now, isSlow } = noteDelay({ ...before, rateBits }, sample, delayMs);
  const { chosen, enough } = chooseCut(now, sample);
  // So little shared traffic cannot cause the delays. Taken for the line's end, it would hold
  // sharing down for minutes.
  const isLittle = before.lineBits === 0 && sample.loadBits < quietPart * quietBits;
  if (now.late >= enough && !isLittle)
    return cut(now, toCarried(before.last, sample, delayMs), chosen);
  return isSlow ? now : creep(now, sample);
}

/**
 * The sample without the traffic that only made the queue longer: the line carried less than what
 * arrived.
 */
function toCarried(last: HouseholdState['last'], sample: LineSample, delayMs: number): LineSample {
  const { atMs, loadBits } = sample;
  const growth =
    last === undefined ? 0 : Math.max(0, delayMs - last.delayMs) / Math.max(1, atMs - last.atMs);
  return { ...sample, loadBits: loadBits / (1 + growth) };
}

/**
 * The cut that the delays ask for, and how many late ones it takes, since a single one may be
 * chance.
 */
function chooseCut(
  { rateBits, lineBits, end, heldUntilMs }: HouseholdState,
  { atMs, loadBits, ownBits }: LineSample,
) {
  // This device itself uses the line: the household wants it.
  if (ownBits > Math.max(leastBits, loadBits / 10)) return { chosen: whole, enough: 1 };
  // The share may have filled the line from the beginning. A small cut shows what delays are like
  // while nothing waits.
  if (end === 'unknown') return { chosen: first, enough: 2 };
  // If only the share used the line until now, it has reached the line's end, and a little less
  // ends the delays. Delays that such a cut does not end come from the household, and so do delays
  // that begin well below the end.
  const isRepeated = atMs < heldUntilMs + repeatMs;
  if (end === 'sought' || (rateBits >= endPart * lineBits && !isRepeated))
    return { chosen: slight, enough: 2 };
  return { chosen: whole, enough: isRepeated ? 2 : 3 };
}

/** Adds a delay to what is known about the line, and compares it with the others. */
function noteDelay(before: HouseholdState, { atMs, loadBits }: LineSample, delayMs: number) {
  const minima = keepLeast(before.minima, atMs, delayMs);
  const lateMs = delayMs - Math.min(...minima.map(([, leastMs]) => leastMs));
  // Little is shared because consumers want no more, so the household is not the reason for
  // different delays.
  const isFree = loadBits < 0.5 * before.rateBits && atMs > before.heldUntilMs + forgetMs;
  const isQuiet = isFree && loadBits < quietPart * (before.lineBits || quietBits);
  const noiseMs = isQuiet ? before.noiseMs + (lateMs - before.noiseMs) / 16 : before.noiseMs;
  const thresholdMs = Math.min(mostRiseMs, Math.max(riseMs, 4 * noiseMs));
  const isLate = lateMs > thresholdMs;
  const isSlow = lateMs > thresholdMs / 2;
  // A row of slightly long delays counts as well: downloads that probe for room themselves (BBR)
  // never cause long ones.
  const isHeld = atMs < before.heldUntilMs;
  // A delay in time ends the row. It does not where the rate is below the line's end and the line
  // is still busy: then someone else uses it.
  const kept = isBelowEnd(before) && !isCalm(before) ? before.late : 0;
  const late = isHeld ? 0 : isSlow ? before.late + (isLate ? 1 : 0.5) : kept;
  const recentMs = before.recentMs + (Math.min(lateMs, thresholdMs) - before.recentMs) / 5;
  return { now: { ...before, minima, noiseMs, late, recentMs, last: { atMs, delayMs } }, isSlow };
}

function isCalm({ recentMs, noiseMs }: HouseholdState): boolean {
  return recentMs < Math.max(calmMs, 2 * noiseMs);
}

function isBelowEnd({ end, rateBits, lineBits }: HouseholdState): boolean {
  return end === 'found' && rateBits < endPart * lineBits;
}

/** The part of the rate that is left by a cut, and for how many ms it stays so. */
interface Cut {
  readonly factor: number;
  readonly holdMs: number;
}

/** The cuts that let the line's queue, which the share has filled, empty. */
const first: Cut = { factor: 0.75, holdMs: 2_000 };
const slight: Cut = { factor: 0.96, holdMs: 1_000 };
/** A household's download may grow by a quarter each third of a second, and needs room for that. */
const whole: Cut = { factor: 0, holdMs: 2_000 };

function cut(
  state: HouseholdState,
  { atMs, loadBits }: LineSample,
  { factor, holdMs }: Cut,
): HouseholdState {
  const { rateBits } = state;
  // What was carried is what the line can do. If that is far below the rate, the rate means
  // nothing, and so little traffic is not the cause of the delays.
  const isUsed = rateBits === Number.POSITIVE_INFINITY || loadBits > 0.3 * rateBits;
  const carriedBits = isUsed ? Math.min(rateBits, loadBits) : rateBits;
  // A line that became slower, or whose value came from a burst, is corrected little by little.
  // That happens wherever the share reaches the line's end, but not while the household uses the
  // line.
  const isFirst = factor === slight.factor || atMs > state.heldUntilMs + forgetMs;
  const lineBits =
    state.end === 'found' ? Math.max(loadBits, (isFirst ? 0.9 : 1) * state.lineBits) : loadBits;
  const floorBits = Math.min(rateBits, Math.max(leastBits, lineBits * floorPart));
  const rate = Math.max(floorBits, carriedBits * factor);
  const end = state.end === 'unknown' ? 'unknown' : 'found';
  return { ...state, rateBits: rate, lineBits, end, late: 0, heldUntilMs: atMs + holdMs };
}

/**
 * Raises the rate: up to the known end of the line quickly if the line is calm, because then no one
 * else uses it; beyond that slowly.
 */
function creep(state: HouseholdState, { atMs, loadBits, ceilingBits }: LineSample): HouseholdState {
  const { rateBits, lineBits, heldUntilMs } = state;
  const sinceMs = atMs - heldUntilMs;
  // The rate grows only while it is what holds the share back.
  if (sinceMs < 0 || loadBits < 0.7 * rateBits) return state;
  const calm = isCalm(state);
  const quick = rateBits * (calm ? 1.25 : 1.02);
  // Nothing was late beyond the presumed end, so it was someone else's traffic, and the end is
  // sought again.
  if (state.end !== 'found' || (calm && rateBits > 1.08 * lineBits)) {
    return {
      ...state,
      end: calm && lineBits > 0 ? 'sought' : state.end,
      rateBits: Math.min(quick, ceilingBits),
    };
  }
  const grown = isBelowEnd(state)
    ? Math.min(quick, 0.95 * lineBits)
    : rateBits * (sinceMs > 30_000 ? 1.03 : 1.01);
  return { ...state, rateBits: Math.min(grown, ceilingBits) };
}

function keepLeast(
  minima: HouseholdState['minima'],
  atMs: number,
  delayMs: number,
): HouseholdState['minima'] {
  const bucket = Math.floor(atMs / bucketMs);
  const [, leastMs = delayMs] = minima.find(([number]) => number === bucket) ?? [];
  const others = minima.filter(([number]) => number > bucket - buckets && number !== bucket);
  return [...others, [bucket, Math.min(leastMs, delayMs)]];
}
