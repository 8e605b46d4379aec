const packetBits = 12_000;

/** One connection that sends as fast as it finds room. */
export interface Sender {
  /** Bits that it sends within a step. */
  readonly send: (step: Step) => number;
  /** What has come through at the end of the step. */
  readonly hear: (step: Step, heard: { readonly bits: number; readonly isLost: boolean }) => void;
}

export interface Step {
  readonly atS: number;
  readonly lengthS: number;
  /** From here to there and back, with what waits on the way. */
  readonly roundS: number;
}

/** Sends more until a packet is lost, as CUBIC (RFC 9438) does: it fills the queue. */
export function createFillingSender(): Sender {
  let windowBits = 10 * packetBits;
  let beforeLoss = Number.NaN;
  let lostAtS = Number.NEGATIVE_INFINITY;
  return {
    send: ({ lengthS, roundS }) => (windowBits / roundS) * lengthS,
    hear: ({ atS, lengthS, roundS }, { isLost }) => {
      const roundsPart = lengthS / roundS;
      if (isLost && atS - lostAtS > roundS) {
        beforeLoss = windowBits;
        lostAtS = atS;
        windowBits = Math.max(2 * packetBits, 0.7 * windowBits);
      } else if (Number.isNaN(beforeLoss)) {
        windowBits *= 1 + roundsPart;
      } else {
        const packets = beforeLoss / packetBits;
        const target = 0.4 * (atS - lostAtS - Math.cbrt((0.3 * packets) / 0.4)) ** 3 + packets;
        const grownBits = Math.min(0.5 * windowBits, target * packetBits - windowBits);
        windowBits += Math.max(0.5 * packetBits, grownBits) * roundsPart;
      }
    },
  };
}

/**
 * Measures what comes through and sends that much, a quarter more each eighth round, as BBR does:
 * its queue is short.
 */
export function createFeelingSender(leastRoundS: number): Sender {
  let heard: readonly { readonly atS: number; readonly bitsPerSecond: number }[] = [];
  let most = (10 * packetBits) / leastRoundS;
  let phase: number | 'beginning' = 'beginning';
  let last = { most: 0, flatRounds: 0 };
  let round = { fromS: Number.NaN, bits: 0 };
  const endRound = (atS: number, roundS: number) => {
    const sample = { atS, bitsPerSecond: round.bits / (atS - round.fromS) };
    heard = [...heard.filter((each) => each.atS > atS - 10 * roundS), sample];
    most = Math.max(packetBits, ...heard.map(({ bitsPerSecond }) => bitsPerSecond));
    round = { fromS: atS, bits: 0 };
    if (phase !== 'beginning') {
      phase = (phase + 1) % 8;
      return;
    }
    last =
      most > 1.25 * last.most
        ? { most, flatRounds: 0 }
        : { ...last, flatRounds: last.flatRounds + 1 };
    if (last.flatRounds >= 3) phase = 1;
  };
  return {
    send: ({ lengthS, roundS }) => {
      const gain = phase === 'beginning' ? 2.89 : phase === 0 ? 1.25 : phase === 1 ? 0.75 : 1;
      // No more is on the way than twice what the empty way holds.
      const room = phase === 'beginning' ? 1 : Math.min(1, (2 * leastRoundS) / (gain * roundS));
      return most * gain * room * lengthS;
    },
    hear: ({ atS, roundS }, { bits }) => {
      if (Number.isNaN(round.fromS)) round = { fromS: atS, bits: 0 };
      round.bits += bits;
      if (atS - round.fromS >= roundS) endRound(atS, roundS);
    },
  };
}
