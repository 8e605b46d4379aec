/** What is seen of the line each half second while something is shared. Rates are bits per second. */
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
  /** The least delay of each ten seconds of the last five minutes, by the number of those seconds. */
  readonly minima: readonly (readonly [number, number])[];
  /** How far delays lie above the least while little is shared, on average: the noise of the way. */
  readonly noiseMs: number;
  /** Delays in a row that were too long. */
  readonly late: number;
  readonly lastCutMs: number;
}

export const beginHousehold: HouseholdState = {
  rateBits: Number.POSITIVE_INFINITY,
  lineBits: 0,
  minima: [],
  noiseMs: 0,
  late: 0,
  lastCutMs: Number.NEGATIVE_INFINITY,
};

/** So much of the line is always left to what is shared: consumers' connections go on. */
const floorPart = 0.05;
const leastBits = 128e3;
const riseMs = 15;
/** Wi-Fi's own delays are no household: three times the noise is no rise. More than this is not believed of it. */
const mostRiseMs = 60;
/** Before the line is known: so little makes no delays. */
const quietBits = 1e6;
const bucketMs = 10_000;
const buckets = 30;
const holdMs = 1_000;

/** After cake-autorate (github.com/lynxthecat/cake-autorate): cut while delays are long, creep back while they are not. */
export function takeLineSample(before: HouseholdState, sample: LineSample): HouseholdState {
  const { delayMs, loadBits, ownBits } = sample;
  const rateBits = Math.min(before.rateBits, sample.ceilingBits);
  if (delayMs === undefined) return { ...before, rateBits };
  const minima = noteDelay(before.minima, sample.atMs, delayMs);
  const lateMs = delayMs - Math.min(...minima.map(([, leastMs]) => leastMs));
  const isQuiet = loadBits < 0.3 * (before.lineBits || quietBits);
  const noiseMs = isQuiet ? before.noiseMs + (lateMs - before.noiseMs) / 16 : before.noiseMs;
  const thresholdMs = Math.min(mostRiseMs, Math.max(riseMs, 3 * noiseMs));
  const late = lateMs > thresholdMs ? before.late + 1 : 0;
  const now = { ...before, rateBits, minima, noiseMs, late };
  // What this device does for itself is the household at once; else the share may have felt for the end of the line: a little
  // less ends that. Where it does not, the household wants the line.
  const first = ownBits > Math.max(leastBits, loadBits / 10) ? 1 : 2;
  if (late === first) return cut(now, sample, 0.96);
  if (late > first + 1) return cut(now, sample, 0.75);
  return lateMs > thresholdMs / 2 ? now : creep(now, sample);
}

function cut(state: HouseholdState, { atMs, loadBits }: LineSample, factor: number): HouseholdState {
  const { rateBits } = state;
  // What was carried is the line; a rate far above it says nothing, and what carries little is not the cause.
  const isUsed = rateBits === Number.POSITIVE_INFINITY || loadBits > 0.3 * rateBits;
  const carriedBits = isUsed ? Math.min(rateBits, 1.05 * loadBits) : rateBits;
  // A line that has become slower is forgotten little by little, but not while the household has it.
  const isFirst = atMs - state.lastCutMs > bucketMs;
  const lineBits = Math.max(loadBits, (isFirst ? 0.9 : 1) * state.lineBits);
  const floorBits = Math.min(rateBits, Math.max(leastBits, lineBits * floorPart));
  return { ...state, rateBits: Math.max(floorBits, carriedBits * factor), lineBits, lastCutMs: atMs };
}

/** Quickly up to where the line was found to end, slowly beyond it, and only while the rate is what holds the share back. */
function creep(state: HouseholdState, { atMs, loadBits, ceilingBits }: LineSample): HouseholdState {
  const { rateBits, lineBits, lastCutMs } = state;
  const sinceMs = atMs - lastCutMs;
  if (sinceMs < holdMs || loadBits < 0.7 * rateBits) return state;
  const factor = rateBits < 0.85 * lineBits ? 1.16 : sinceMs > 30_000 ? 1.03 : 1.01;
  return { ...state, rateBits: Math.min(rateBits * factor, ceilingBits) };
}

function noteDelay(minima: HouseholdState['minima'], atMs: number, delayMs: number): HouseholdState['minima'] {
  const bucket = Math.floor(atMs / bucketMs);
  const [, leastMs = delayMs] = minima.find(([number]) => number === bucket) ?? [];
  const others = minima.filter(([number]) => number > bucket - buckets && number !== bucket);
  return [...others, [bucket, Math.min(leastMs, delayMs)]];
}
