import {
  type HouseholdState,
  isBelowEnd,
  isCalm,
  type LineSample,
  type Stage,
} from './household-state.ts';
import { type Cut, cuts, tuning } from './household-tuning.ts';

/** What a stage does about a delay. */
interface Plan {
  /** The cut where delays are late. */
  readonly cut: Cut;
  /** How many late delays it takes, since a single one may be chance. */
  readonly enough: number;
  /** The stage after the cut. */
  readonly cutStage: Stage;
  /** The rate where delays are in time, and the stage that it then is in. */
  readonly grown: Pick<HouseholdState, 'rateBits' | 'stage'>;
}

/** Each stage looks at the state with the newest delay in it. */
export const planStage: Readonly<
  Record<Stage, (state: HouseholdState, sample: LineSample) => Plan>
> = { learning: planLearning, seeking: planSeeking, found: planFound };

function planLearning(state: HouseholdState): Plan {
  return {
    cut: cuts.trial,
    enough: 2,
    cutStage: 'learning',
    grown: {
      rateBits: growQuickly(state),
      // On a calm line that was cut before, what is met next is the end of the line.
      stage: isCalm(state) && state.lineBits > 0 ? 'seeking' : 'learning',
    },
  };
}

/** Only the share has used the line, so late delays mean that it has reached the line's end. */
function planSeeking(state: HouseholdState): Plan {
  return {
    cut: cuts.slight,
    enough: 2,
    cutStage: 'found',
    grown: { rateBits: growQuickly(state), stage: 'seeking' },
  };
}

function planFound(state: HouseholdState, { atMs }: LineSample): Plan {
  const isRepeated = atMs < state.heldUntilMs + tuning.repeatMs;
  const isAtEnd = state.rateBits >= tuning.endPart * state.lineBits;
  const grown = growToEnd(state, atMs);
  if (isAtEnd && !isRepeated) return { cut: cuts.slight, enough: 2, cutStage: 'found', grown };
  // A slight cut did not end the delays, or they began well below the end: the household uses the
  // line.
  return { cut: cuts.whole, enough: isRepeated ? 2 : 3, cutStage: 'found', grown };
}

function growToEnd(state: HouseholdState, atMs: number): Plan['grown'] {
  const { rateBits, lineBits, heldUntilMs } = state;
  // Nothing was late beyond the presumed end, so it was someone else's traffic, and the end is
  // sought again.
  if (isCalm(state) && lineBits > 0 && rateBits > tuning.beyondFactor * lineBits)
    return { rateBits: growQuickly(state), stage: 'seeking' };
  if (isBelowEnd(state))
    return { rateBits: Math.min(growQuickly(state), tuning.stopPart * lineBits), stage: 'found' };
  const isPatient = atMs - heldUntilMs > tuning.patienceMs;
  const factor = isPatient ? tuning.patientCreepFactor : tuning.creepFactor;
  return { rateBits: rateBits * factor, stage: 'found' };
}

function growQuickly(state: HouseholdState): number {
  return state.rateBits * (isCalm(state) ? tuning.calmGrowthFactor : tuning.busyGrowthFactor);
}
