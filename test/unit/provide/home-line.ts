import { takeLineSample } from '../../../src/provide/household.ts';
import {
  beginHousehold,
  type HouseholdState,
  type LineSample,
} from '../../../src/provide/household-state.ts';
import { createNumbers } from '../../random.ts';
import { createFeelingSender, createFillingSender, type Sender, type Step } from './senders.ts';

export interface HomeTerms {
  readonly downBits: number;
  readonly upBits?: number;
  readonly seconds: number;
  readonly household?: HouseholdTerms;
  /** False: the home is alone. */
  readonly isSharing?: boolean;
  /**
   * Until then consumers have little, and the line is empty; 0: they fill it from the beginning.
   */
  readonly busyFromS?: number;
  readonly ceilingBits?: number;
  /** In ms, on each probe: Wi-Fi, another route. */
  readonly extraDelay?: (atS: number, random: () => number) => number;
  readonly seed?: number;
}

/**
 * What the home itself loads down or up, and when: by a sender that fills the queue, or by one that
 * feels for room.
 */
interface HouseholdTerms {
  readonly sender: 'fills' | 'feels';
  readonly isUpload?: boolean;
  readonly fromS: number;
  readonly toS: number;
}

/** What half a second was like. Rates are bits per second. */
export interface HalfSecond {
  readonly atS: number;
  /** What consumers had. */
  readonly shareBits: number;
  readonly householdBits: number;
  readonly sample: LineSample;
  /** After the sample. */
  readonly state: HouseholdState;
}

const lengthS = 0.005;
const stepsPerSample = 100;
const roundS = 0.04;
/** What the modem lets wait. */
const queueS = 0.3;
const consumers = 8;
/** Of each of them, before they are busy. */
const littleBits = 25e3;
/** What waits at the rate that is left to what is shared: the leaves of the line's tree. */
const leafBits = 30_000 * 8;

const nothing = { loadBits: 0, shareBits: 0, householdBits: 0 };

/**
 * A home's line as fluids: what consumers have comes down it and leaves up it again, and is held to
 * the rate in between.
 */
export function liveAtHome(terms: HomeTerms): readonly HalfSecond[] {
  const { downBits, upBits = downBits, ceilingBits = Number.POSITIVE_INFINITY } = terms;
  const isUpload = terms.household?.isUpload === true;
  const random = createNumbers(terms.seed ?? 1);
  const [down, held, up] = [createQueue(), createQueue(), createQueue()];
  const share = createConsumers(terms, random);
  let house: Sender | undefined;
  let state = beginHousehold;
  let sums = { ...nothing };
  const seen: HalfSecond[] = [];

  const runStep = (atS: number) => {
    house = chooseSender(terms, atS, house);
    const rateBits = Math.min(state.rateBits, ceilingBits);
    const lineS = down.waitS(downBits) + up.waitS(upBits);
    const houseStep = {
      atS,
      lengthS,
      roundS: roundS + (isUpload ? up.waitS(upBits) : down.waitS(downBits)),
    };
    const shareStep = { atS, lengthS, roundS: roundS + lineS + held.waitS(rateBits) };
    const wantedBits = house?.send(houseStep) ?? 0;
    const offeredBits = share.send(shareStep);
    const came = down.pass(
      { share: offeredBits, house: isUpload ? 0 : wantedBits },
      downBits,
      queueS * downBits,
    );
    const through = held.pass({ share: came.share, house: 0 }, rateBits, leafBits);
    const left = up.pass(
      { share: through.share, house: isUpload ? wantedBits : 0 },
      upBits,
      queueS * upBits,
    );
    share.hear(shareStep, left.share, [came, through, left]);
    const { house: houseBits, isFull } = isUpload ? left : came;
    house?.hear(houseStep, { bits: houseBits, isLost: isFull });
    sums.loadBits += came.share;
    sums.shareBits += left.share;
    sums.householdBits += houseBits;
  };
  const endSample = (atS: number) => {
    const perSecond = 1 / (lengthS * stepsPerSample);
    const delayS = roundS + down.waitS(downBits) + up.waitS(upBits);
    const sample: LineSample = {
      atMs: atS * 1000,
      delayMs: delayS * 1000 + (terms.extraDelay?.(atS, random) ?? 0),
      loadBits: sums.loadBits * perSecond,
      ownBits: 0,
      ceilingBits,
    };
    state = takeLineSample(state, sample);
    const { shareBits, householdBits } = sums;
    seen.push({
      atS,
      shareBits: shareBits * perSecond,
      householdBits: householdBits * perSecond,
      sample,
      state,
    });
    sums = { ...nothing };
  };
  for (let step = 0; step < terms.seconds / lengthS; step += 1) {
    runStep(step * lengthS);
    if ((step + 1) % stepsPerSample === 0) endSample((step + 1) * lengthS);
  }
  return seen;
}

function createConsumers({ isSharing = true, busyFromS = 5 }: HomeTerms, random: () => number) {
  const senders = Array.from({ length: isSharing ? consumers : 0 }, createFillingSender);
  return {
    send: (step: Step) => {
      const sent = senders.map((sender) =>
        step.atS < busyFromS ? littleBits * step.lengthS : sender.send(step),
      );
      return sent.reduce((sum, bits) => sum + bits, 0);
    },
    hear: (step: Step, bits: number, passed: readonly { readonly lostPart: number }[]) => {
      if (step.atS < busyFromS) return;
      for (const sender of senders) {
        const isLost = passed.some(({ lostPart }) => random() < lostPart);
        sender.hear(step, { bits: bits / consumers, isLost });
      }
    },
  };
}

/** The one that was there goes on. */
function chooseSender(
  { household }: HomeTerms,
  atS: number,
  before: Sender | undefined,
): Sender | undefined {
  if (household === undefined || atS < household.fromS || atS >= household.toS) return undefined;
  return (
    before ?? (household.sender === 'fills' ? createFillingSender() : createFeelingSender(roundS))
  );
}

/** Who has how many bits there. */
interface Fluid {
  readonly share: number;
  readonly house: number;
}

/** What waits in it leaves in proportion to what each has there. */
function createQueue() {
  let waiting: Fluid = { share: 0, house: 0 };
  const sum = ({ share, house }: Fluid) => share + house;
  return {
    waitS: (bitsPerSecond: number) => sum(waiting) / bitsPerSecond,
    pass: (comes: Fluid, bitsPerSecond: number, roomBits: number) => {
      const servedBits = bitsPerSecond * lengthS;
      const freeBits = Math.max(0, roomBits + servedBits - sum(waiting));
      const isFull = sum(comes) > freeBits;
      const takenPart = isFull ? freeBits / sum(comes) : 1;
      const there = {
        share: waiting.share + comes.share * takenPart,
        house: waiting.house + comes.house * takenPart,
      };
      const servedPart = sum(there) > servedBits ? servedBits / sum(there) : 1;
      waiting = { share: there.share * (1 - servedPart), house: there.house * (1 - servedPart) };
      // How many consumers' connections lose a packet in such a step.
      const lostPart = isFull ? (0.25 * comes.share) / sum(comes) : 0;
      return { share: there.share * servedPart, house: there.house * servedPart, isFull, lostPart };
    },
  };
}
