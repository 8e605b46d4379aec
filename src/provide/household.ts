/** What is seen of the line each half second while something is shared. */
export interface LineSample {
  /** Monotonic. */
  readonly atMs: number;
  /** How long a connection to somewhere beyond the home's line took; undefined: none was made. */
  readonly delayMs: number | undefined;
  /** What is shared, on the line, each way. */
  readonly loadBits: number;
  /** What this device sends or receives for itself, the larger of both; undefined: not known. */
  readonly ownBits: number | undefined;
  /** The owner's limit; undefined: none. */
  readonly ceilingBits: number | undefined;
}

/** What the decisions remember; data alone. */
export interface HouseholdState {
  /** What is left to what is shared; undefined: all. */
  readonly rateBits: number | undefined;
  /** The most that the line was seen to carry; undefined before the first cut. */
  readonly lineBits: number | undefined;
  /** The least delay of each ten seconds of the last five minutes, with the number of those seconds. */
  readonly minima: readonly (readonly [number, number])[];
  /** How far delays lie above the least while little is shared: the noise of the way, on average. */
  readonly noiseMs: number;
  /** Delays in a row that were too long. */
  readonly late: number;
  readonly lastCutMs: number;
}

export const beginHousehold: HouseholdState = {
  rateBits: undefined,
  lineBits: undefined,
  minima: [],
  noiseMs: 0,
  late: 0,
  lastCutMs: Number.NEGATIVE_INFINITY,
};

/** Never less of the line is left to what is shared, or consumers' connections would end. */
const floorPart = 0.05;
const leastBits = 128e3;
const riseMs = 15;
/** Wi-Fi's own delays are no household; more than that of them is not believed. */
const mostNoiseMs = 60;
/** Before the line is known. */
const quietBits = 3e6;
const bucketMs = 10_000;
const buckets = 30;
const holdMs = 1_000;

/** After cake-autorate (github.com/lynxthecat/cake-autorate): cut when delays rise, creep back when they do not. */
export function takeLineSample(before: HouseholdState, sample: LineSample): HouseholdState {
  const { atMs, delayMs, loadBits, ceilingBits } = sample;
  const minima = noteDelay(before.minima, sample);
  const least = Math.min(...minima.map(([, ms]) => ms));
  const lateMs = delayMs === undefined || minima.length === 0 ? undefined : delayMs - least;
  const rateBits = Math.min(before.rateBits ?? Number.POSITIVE_INFINITY, ceilingBits ?? Number.POSITIVE_INFINITY);
  const isQuiet = loadBits < 0.3 * Math.min(rateBits, before.lineBits ?? quietBits);
  const noiseMs = isQuiet && lateMs !== undefined ? before.noiseMs + (lateMs - before.noiseMs) / 16 : before.noiseMs;
  const threshold = Math.min(mostNoiseMs, Math.max(riseMs, 3 * noiseMs));
  const late = lateMs === undefined ? before.late : lateMs > threshold ? before.late + 1 : 0;
  const known = { ...before, minima, noiseMs, late };
  const own = sample.ownBits ?? 0;
  const isOwn = own > loadBits / 10 && own > leastBits;
  // The share feels for the end of the line, and a little less ends that; where it does not, the household wants the line.
  const first = isOwn ? 1 : 2;
  if (lateMs !== undefined && late === first) return cut(known, sample, { rateBits, factor: 0.96 });
  if (lateMs !== undefined && late > first + 1) return cut(known, sample, { rateBits, factor: 0.75 });
  const isHeld = atMs - before.lastCutMs < holdMs || (lateMs !== undefined && lateMs > threshold / 2);
  if (before.rateBits === undefined || isHeld || loadBits < 0.7 * rateBits) return known;
  const isBelow = rateBits < 0.85 * (before.lineBits ?? 0);
  const grown = rateBits * (isBelow ? 1.16 : atMs - before.lastCutMs > 30_000 ? 1.03 : 1.01);
  return { ...known, rateBits: ceilingBits === undefined ? grown : Math.min(grown, ceilingBits) };
}

function cut(before: HouseholdState, { atMs, loadBits, ownBits }: LineSample, how: { rateBits: number; factor: number }): HouseholdState {
  const { rateBits, factor } = how;
  // What was carried is the line; a rate far above it says nothing.
  const carried = loadBits > 0.3 * rateBits || rateBits === Number.POSITIVE_INFINITY ? Math.min(rateBits, 1.05 * loadBits) : rateBits;
  const isFirst = atMs - before.lastCutMs > 10_000;
  const seen = loadBits + (ownBits ?? 0);
  const lineBits = isFirst ? Math.max(seen, 0.9 * (before.lineBits ?? 0)) : Math.max(before.lineBits ?? 0, seen);
  const floorBits = Math.min(rateBits, Math.max(leastBits, lineBits * floorPart));
  return { ...before, rateBits: Math.max(floorBits, carried * factor), lineBits, lastCutMs: atMs };
}

function noteDelay(minima: HouseholdState['minima'], { atMs, delayMs }: LineSample): HouseholdState['minima'] {
  if (delayMs === undefined) return minima;
  const bucket = Math.floor(atMs / bucketMs);
  const rest = minima.filter(([number]) => number > bucket - buckets && number !== bucket);
  const [, ms = delayMs] = minima.find(([number]) => number === bucket) ?? [];
  return [...rest, [bucket, Math.min(ms, delayMs)]];
}
