import { planStage } from './household-stages.ts';
import {
  beginHousehold,
  type HouseholdState,
  isBelowEnd,
  isCalm,
  type LineSample,
  type Stage,
} from './household-state.ts';
import { type Cut, cuts, tuning } from './household-tuning.ts';

/**
 * Decides the rate after one more sample, like cake-autorate (github.com/lynxthecat/cake-autorate):
 * it is cut while delays are long, and grows slowly while they are not. Call it with each sample in
 * turn, beginning with `beginHousehold`; it keeps nothing itself.
 */
export function takeLineSample(before: HouseholdState, sample: LineSample): HouseholdState {
  const { delayMs } = sample;
  // Before the first cut only the owner's limit holds the rate.
  const heldBits = before.lineBits === 0 ? Number.POSITIVE_INFINITY : before.rateBits;
  const rateBits = Math.min(heldBits, sample.ceilingBits);
  // Without answers nothing is known about the household any more, so the owner's limit alone
  // holds.
  const isBlind = before.last !== undefined && sample.atMs - before.last.atMs > tuning.blindMs;
  if (delayMs === undefined) return isBlind ? beginHousehold : { ...before, rateBits };
  const { now, isSlow } = noteDelay({ ...before, rateBits }, sample, delayMs);
  const plan = planStage[now.stage](now, sample);
  // This device itself uses the line: the household wants it.
  const { cut, enough } = isOwnTraffic(sample) ? { cut: cuts.whole, enough: 1 } : plan;
  if (now.late >= enough && !isTooLittle(before, sample)) {
    const carriedBits = toCarried(before.last, sample, delayMs);
    return applyCut(now, { atMs: sample.atMs, carriedBits, cut, stage: plan.cutStage });
  }
  return isSlow ? now : raise(now, sample, plan.grown);
}

function isOwnTraffic({ ownBits, loadBits }: LineSample): boolean {
  return ownBits > Math.max(tuning.leastBits, loadBits / tuning.ownDivisor);
}

/**
 * True where so little is shared that it cannot cause the delays. Taken for the line's end, it
 * would hold sharing down for minutes.
 */
function isTooLittle({ lineBits }: HouseholdState, { loadBits }: LineSample): boolean {
  return lineBits === 0 && loadBits < tuning.quietPart * tuning.unknownLineBits;
}

/**
 * The shared traffic that the line carried, without what only made the queue longer: less than what
 * arrived.
 */
function toCarried(
  last: HouseholdState['last'],
  { atMs, loadBits }: LineSample,
  delayMs: number,
): number {
  if (last === undefined) return loadBits;
  const growth = Math.max(0, delayMs - last.delayMs) / Math.max(1, atMs - last.atMs);
  return loadBits / (1 + growth);
}

/** Adds a delay to what is known about the line, and compares it with the others. */
function noteDelay(before: HouseholdState, sample: LineSample, delayMs: number) {
  const { atMs } = sample;
  const minima = keepLeast(before.minima, atMs, delayMs);
  const lateMs = delayMs - Math.min(...minima.map(([, leastMs]) => leastMs));
  const noiseMs = isQuiet(before, sample)
    ? before.noiseMs + (lateMs - before.noiseMs) / tuning.noiseSamples
    : before.noiseMs;
  const thresholdMs = Math.min(
    tuning.mostRiseMs,
    Math.max(tuning.leastRiseMs, tuning.noiseTimes * noiseMs),
  );
  const isSlow = lateMs > thresholdMs * tuning.slowPart;
  const late = countLate(before, { atMs, isSlow, isLate: lateMs > thresholdMs });
  const recentMs =
    before.recentMs + (Math.min(lateMs, thresholdMs) - before.recentMs) / tuning.recentSamples;
  return { now: { ...before, minima, noiseMs, late, recentMs, last: { atMs, delayMs } }, isSlow };
}

/**
 * True where little is shared because consumers want no more, so that delays are the noise of the
 * way and have nothing to do with the household.
 */
function isQuiet(
  { rateBits, lineBits, heldUntilMs }: HouseholdState,
  { atMs, loadBits }: LineSample,
): boolean {
  return (
    loadBits < tuning.freePart * rateBits &&
    atMs > heldUntilMs + tuning.forgetMs &&
    loadBits < tuning.quietPart * (lineBits || tuning.unknownLineBits)
  );
}

/** How many delays in a row were late, with this one. */
function countLate(
  before: HouseholdState,
  { atMs, isSlow, isLate }: { atMs: number; isSlow: boolean; isLate: boolean },
): number {
  // The queue of the last cut is still emptying.
  if (atMs < before.heldUntilMs) return 0;
  // A row of slow delays counts as well: downloads that probe for room themselves (BBR) never cause
  // late ones.
  if (isSlow) return before.late + (isLate ? 1 : 0.5);
  // A delay in time ends the row. It does not where the rate is below the line's end and the line
  // is still busy: then someone else uses it.
  return isBelowEnd(before) && !isCalm(before) ? before.late : 0;
}

interface AppliedCut {
  readonly atMs: number;
  readonly carriedBits: number;
  readonly cut: Cut;
  /** The stage after it. */
  readonly stage: Stage;
}

function applyCut(
  state: HouseholdState,
  { atMs, carriedBits, cut, stage }: AppliedCut,
): HouseholdState {
  const { rateBits } = state;
  // What was carried is what the line can do. If that is far below the rate, the rate means
  // nothing, and so little traffic is not the cause of the delays.
  const isUsed = rateBits === Number.POSITIVE_INFINITY || carriedBits > tuning.usedPart * rateBits;
  const usedBits = isUsed ? Math.min(rateBits, carriedBits) : rateBits;
  const lineBits = findLine(state, { atMs, carriedBits, cut });
  const floorBits = Math.min(rateBits, Math.max(tuning.leastBits, lineBits * tuning.floorPart));
  return {
    ...state,
    rateBits: Math.max(floorBits, usedBits * cut.factor),
    lineBits,
    stage,
    late: 0,
    heldUntilMs: atMs + cut.holdMs,
  };
}

/** What the line can carry, by what it has just carried. */
function findLine(
  state: HouseholdState,
  { atMs, carriedBits, cut }: Omit<AppliedCut, 'stage'>,
): number {
  if (state.stage !== 'found') return carriedBits;
  // A line that became slower, or whose value came from a burst, is corrected little by little.
  // That happens wherever the share reaches the line's end, but not while the household uses the
  // line.
  const isCorrected = cut === cuts.slight || atMs > state.heldUntilMs + tuning.forgetMs;
  return Math.max(carriedBits, (isCorrected ? tuning.shrinkPart : 1) * state.lineBits);
}

/** Raises the rate, up to the owner's limit, while it is what holds the share back. */
function raise(
  state: HouseholdState,
  { atMs, loadBits, ceilingBits }: LineSample,
  grown: Pick<HouseholdState, 'rateBits' | 'stage'>,
): HouseholdState {
  const isHeld = atMs - state.heldUntilMs < 0;
  if (isHeld || loadBits < tuning.pressedPart * state.rateBits) return state;
  return { ...state, stage: grown.stage, rateBits: Math.min(grown.rateBits, ceilingBits) };
}

function keepLeast(
  minima: HouseholdState['minima'],
  atMs: number,
  delayMs: number,
): HouseholdState['minima'] {
  const bucket = Math.floor(atMs / tuning.bucketMs);
  const [, leastMs = delayMs] = minima.find(([number]) => number === bucket) ?? [];
  const others = minima.filter(([number]) => number > bucket - tuning.buckets && number !== bucket);
  return [...others, [bucket, Math.min(leastMs, delayMs)]];
}
