import { isSameLane, type Pack } from '../wire/pack.ts';
import type { KnownConsumer } from './consumer-contract.ts';
import type { IncomingLane } from './incoming-lane.ts';

/** The lane of a consumer's last packet, of this life or of an earlier one. */
export type LastLane = Pick<IncomingLane, 'lane' | 'sequenceId' | 'mode' | 'next'> &
  Partial<Pick<IncomingLane, 'replacedBy'>>;

/** Whether a Pack is of a newer sequence on the lane of the last packet. */
export function isAfter<T extends Opening>(pack: Opening, last: T | undefined): last is T {
  return (
    last !== undefined && isSameLane(last.lane, pack.lane) && pack.sequenceId > last.sequenceId
  );
}

/** Whether it is of an older one than an earlier life knew, which has nothing to say any more. */
export function isBefore(pack: Opening, earlier: LastLane | undefined): boolean {
  return earlier !== undefined && isAfter(earlier, pack);
}

export function toKnown(of: LastLane | undefined, heardAt: number): KnownConsumer | undefined {
  if (of === undefined) return undefined;
  const { lane, sequenceId, mode, next } = of;
  return { lane, sequenceId, mode, next, heardAt };
}

type Opening = Pick<Pack, 'lane' | 'sequenceId'>;
