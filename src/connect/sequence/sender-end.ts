/** Why a sequence that sends is over. */
export type SenderEnd = 'unacknowledged' | 'idle' | 'no-contract';

/** Since when a sequence waits, and for what; undefined where it does not. */
export interface Waiting {
  /** When its lowest unacknowledged Pack was sent first. */
  readonly unacknowledged: number | undefined;
  readonly 'no-contract': number | undefined;
  readonly idle: number | undefined;
}

/** How long a sequence waits, in ms, as the wire says it. */
const longest: Readonly<Record<SenderEnd, number>> = {
  /** Peers end a sequence that does not get on for so long. */
  unacknowledged: 60_000,
  /** What waits longer for a contract is of no use any more. */
  'no-contract': 30_000,
  idle: 300_000,
};
const ends = ['unacknowledged', 'no-contract', 'idle'] as const;

export function findSenderEnd(waiting: Waiting, now: number): SenderEnd | undefined {
  return ends.find((end) => now >= endsAt(waiting, end));
}

/** When the sequence ends, if nothing happens until then. */
export function findSenderEndTime(waiting: Waiting): number {
  let soonest = Number.POSITIVE_INFINITY;
  for (const end of ends) soonest = Math.min(soonest, endsAt(waiting, end));
  return soonest;
}

function endsAt(waiting: Waiting, end: SenderEnd): number {
  return (waiting[end] ?? Number.POSITIVE_INFINITY) + longest[end];
}
