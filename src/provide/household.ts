/**
 * What is seen of the line each half second while something is shared. Rates are bits per second.
 */
export interface LineSample {
  /** Monotonic. */
  readonly atMs: number;
  /** How long a connection to a place beyond the home's line took; undefined: none was made. */
  readonly delayMs: number | undefined;
  /** What is shared, on the line, each way. */
  readonly loadBits: number;
  /** What this device sends and receives for itself; 0 where that is not known. */
  readonly ownBits: number;
  /** The owner's limit; Infinity: none. */
  readonly ceilingBits: number;
}

/** What the decisions remember. Data alone. */
export interface HouseholdState {
  /** What is left to what is shared; Infinity: all. */
  readonly rateBits: number;
  /** The most that the line was seen to carry of what is shared; 0 before the first cut. */
  readonly lineBits: number;
  /**
   * Whether that is the line's end: only what grew on a calm way felt it. Before that another had
   * the line, or a burst.
   */
  readonly end: 'unknown' | 'sought' | 'found';
  /**
   * The least delay of each ten seconds of the last five minutes, by the number of those seconds.
   */
  readonly minima: readonly (readonly [number, number])[];
  /**
   * How far delays lie above the least while little is shared, on average: the noise of the way.
   */
  readonly noiseMs: number;
  /** Delays in a row that were too long. */
  readonly late: number;
  /** How far delays lay above the least in the last seconds, on average. */
  readonly recentMs: number;
  /** The last one that was measured, and when. */
  readonly last: { readonly atMs: number; readonly delayMs: number } | undefined;
  /** Until then nothing is given back after a cut. */
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

/** So much of the line is always left to what is shared: consumers' connections go on. */
const floorPart = 0.02;
const leastBits = 128e3;
const riseMs = 15;
/**
 * Wi-Fi's own delays are no household: four times the noise is no rise. More than this is not
 * believed of it.
 */
const mostRiseMs = 60;
/** Before the line is known: so little makes no delays. */
const quietBits = 1e6;
const quietPart = 0.3;
const bucketMs = 10_000;
const buckets = 30;
const forgetMs = 10_000;
/** From here on a rate feels for the end of the line. */
const endPart = 0.85;
/** A way on which nobody else is has delays this close to the least. */
const calmMs = 2;
/** Without an answer for so long, what was learnt is given up. */
const blindMs = 60_000;
/** What is late so soon after a cut was not ended by it. */
const repeatMs = 2_000;

/**
 * After cake-autorate (github.com/lynxthecat/cake-autorate): cut while delays are long, creep back
 * while they are not.
 */
export function takeLineSample(before: HouseholdState, sample: LineSample): HouseholdState {
  const { delayMs } = sample;
  // Before the first cut the owner alone holds it.
  const heldBits = before.lineBits === 0 ? Number.POSITIVE_INFINITY : before.rateBits;
  const rateBits = Math.min(heldBits, sample.ceilingBits);
  // Nobody answers: nothing is known of the household any more, and the owner's limit alone holds.
  const isBlind = before.last !== undefined && sample.atMs - before.last.atMs > blindMs;
  if (delayMs === undefined) return isBlind ? beginHousehold : { ...before, rateBits };
  const { now, isSlow } = noteDelay({ ...before, rateBits }, sample, delayMs);
  const { chosen, enough } = chooseCut(now, sample);
  // What makes the delays is another; and so little, taken for the line, would hold the share for
  // minutes.
  const isLittle = before.lineBits === 0 && sample.loadBits < quietPart * quietBits;
  if (now.late >= enough && !isLittle)
    return cut(now, toCarried(before.last, sample, delayMs), chosen);
  return isSlow ? now : creep(now, sample);
}

/** Without what only made the queue longer: the line carried less than came. */
function toCarried(last: HouseholdState['last'], sample: LineSample, delayMs: number): LineSample {
  const { atMs, loadBits } = sample;
  const growth =
    last === undefined ? 0 : Math.max(0, delayMs - last.delayMs) / Math.max(1, atMs - last.atMs);
  return { ...sample, loadBits: loadBits / (1 + growth) };
}

/** The cut that delays ask for, and how many of them do: one may be chance. */
function chooseCut(
  { rateBits, lineBits, end, heldUntilMs }: HouseholdState,
  { atMs, loadBits, ownBits }: LineSample,
) {
  // This device itself does something: the household wants the line.
  if (ownBits > Math.max(leastBits, loadBits / 10)) return { chosen: whole, enough: 1 };
  // It has to show what the way is like while nothing waits: the share may have filled it from the
  // beginning.
  if (end === 'unknown') return { chosen: first, enough: 2 };
  // Where the share was alone up to now, it has felt for the end of the line, and a little less
  // ends that. What it does not end is the household, and so is what begins below the end.
  const isRepeated = atMs < heldUntilMs + repeatMs;
  if (end === 'sought' || (rateBits >= endPart * lineBits && !isRepeated))
    return { chosen: slight, enough: 2 };
  return { chosen: whole, enough: isRepeated ? 2 : 3 };
}

/** What the delay says of the way, and how it is beside the others. */
function noteDelay(before: HouseholdState, { atMs, loadBits }: LineSample, delayMs: number) {
  const minima = keepLeast(before.minima, atMs, delayMs);
  const lateMs = delayMs - Math.min(...minima.map(([, leastMs]) => leastMs));
  // Little is shared because consumers want no more: the household is not why delays differ.
  const isFree = loadBits < 0.5 * before.rateBits && atMs > before.heldUntilMs + forgetMs;
  const isQuiet = isFree && loadBits < quietPart * (before.lineBits || quietBits);
  const noiseMs = isQuiet ? before.noiseMs + (lateMs - before.noiseMs) / 16 : before.noiseMs;
  const thresholdMs = Math.min(mostRiseMs, Math.max(riseMs, 4 * noiseMs));
  const isLate = lateMs > thresholdMs;
  const isSlow = lateMs > thresholdMs / 2;
  // What is a little late again and again counts as well: downloads that feel for room themselves
  // (BBR) make no long delays.
  const isHeld = atMs < before.heldUntilMs;
  // One in time ends the row, unless someone is on the line where the share alone would feel
  // nothing.
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

/** What is left of the rate, and how long it stays so. */
interface Cut {
  readonly factor: number;
  readonly holdMs: number;
}

/** The line's queue has to empty, which the share has filled. */
const first: Cut = { factor: 0.75, holdMs: 2_000 };
const slight: Cut = { factor: 0.96, holdMs: 1_000 };
/** Such a download takes a quarter more each third of a second: it needs room for that. */
const whole: Cut = { factor: 0, holdMs: 2_000 };

function cut(
  state: HouseholdState,
  { atMs, loadBits }: LineSample,
  { factor, holdMs }: Cut,
): HouseholdState {
  const { rateBits } = state;
  // What was carried is the line; a rate far above it says nothing, and what carries little is not
  // the cause.
  const isUsed = rateBits === Number.POSITIVE_INFINITY || loadBits > 0.3 * rateBits;
  const carriedBits = isUsed ? Math.min(rateBits, loadBits) : rateBits;
  // A line that has become slower, or that a burst made too fast, is forgotten little by little:
  // wherever the share feels for its end, but not while the household has it.
  const isFirst = factor === slight.factor || atMs > state.heldUntilMs + forgetMs;
  const lineBits =
    state.end === 'found' ? Math.max(loadBits, (isFirst ? 0.9 : 1) * state.lineBits) : loadBits;
  const floorBits = Math.min(rateBits, Math.max(leastBits, lineBits * floorPart));
  const rate = Math.max(floorBits, carriedBits * factor);
  const end = state.end === 'unknown' ? 'unknown' : 'found';
  return { ...state, rateBits: rate, lineBits, end, late: 0, heldUntilMs: atMs + holdMs };
}

/**
 * Up to where the line was found to end: quickly where the way is calm, for then nobody else uses
 * it. Slowly beyond.
 */
function creep(state: HouseholdState, { atMs, loadBits, ceilingBits }: LineSample): HouseholdState {
  const { rateBits, lineBits, heldUntilMs } = state;
  const sinceMs = atMs - heldUntilMs;
  // It grows only while it is what holds the share back.
  if (sinceMs < 0 || loadBits < 0.7 * rateBits) return state;
  const calm = isCalm(state);
  const quick = rateBits * (calm ? 1.25 : 1.02);
  // Where nothing was late beyond it, the end was another's.
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
