import { type ProvideWish, publishedModes } from '../contract/secrets.ts';
import { type Pack, toLaneKey } from '../wire/pack.ts';
import type { LastLane } from './last-lane.ts';

/**
 * Sequences that ended here while the consumer may go on with them: in a pause, and in an earlier
 * life. Whatever it sends again of them, because it had no ack, was delivered and counted. It may
 * be by a contract that is finished since, so it shows none, and is acknowledged all the same.
 */
export interface PastLanes {
  /** Lanes of modes that are not wished for now are as if they were not known. */
  setWish(wish: ProvideWish): void;
  /** True where the mode of a lane is not wished for any more; it is one of these then. */
  leaves(lane: LastLane): boolean;
  /** The one that left last. */
  latest(): LastLane | undefined;
  /** Packs of this sequence below it were delivered; 0 where it is not known. */
  firstNumber(of: Pick<Pack, 'lane' | 'sequenceId'>): number;
  wasDelivered(pack: Pack): boolean;
  /** There may be something to know it by again. */
  isKept(silentMs: number): boolean;
}

/** Nobody waits longer for an ack. */
const keptFor = 60_000;

export function createPastLanes(earlier: LastLane | undefined): PastLanes {
  const past = new Map<string, LastLane>();
  if (earlier !== undefined) past.set(toLaneKey(earlier.lane), earlier);
  let latest: LastLane | undefined;
  let wish: ProvideWish = 'public';

  const isWished = ({ mode }: Pick<LastLane, 'mode'>): boolean =>
    publishedModes[wish].some((one) => one === mode());
  const firstNumber: PastLanes['firstNumber'] = ({ lane, sequenceId }) => {
    const one = past.get(toLaneKey(lane));
    return one?.sequenceId === sequenceId && isWished(one) ? one.next() : 0;
  };
  return {
    setWish(next) {
      wish = next;
    },
    leaves(lane) {
      if (isWished(lane)) return false;
      latest = lane;
      past.set(toLaneKey(lane.lane), lane);
      return true;
    },
    latest: () => latest,
    firstNumber,
    wasDelivered: (pack) => pack.sequenceNumber < firstNumber(pack),
    isKept: (silentMs) => latest !== undefined && silentMs < keptFor,
  };
}
