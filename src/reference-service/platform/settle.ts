/** What one side of a contract has reported. Checkpoints add up; a close adds the last part. */
export interface Side {
  readonly state: 'unreported' | 'checkpoint' | 'closed';
  readonly bytes: number;
}

export interface Sides {
  readonly source: Side;
  readonly destination: Side;
}

/** How a contract goes on. */
export type Settlement =
  | { readonly kind: 'open'; readonly sides: Sides }
  | { readonly kind: 'settled'; readonly sides: Sides; readonly bytes: number }
  /** The counts are too far apart to be paid at once. */
  | { readonly kind: 'disputed'; readonly sides: Sides };

/** Counts that differ by no more than this are paid at once, by their mean. */
const mostDifference = 16 * 1024 * 1024;

/**
 * What one more report of a side makes of it. A report after the side's close is ignored without an
 * error.
 */
export function addReport(
  side: Side,
  report: { readonly bytes: number; readonly isCheckpoint: boolean },
): Side {
  if (side.state === 'closed') return side;
  return {
    state: report.isCheckpoint ? 'checkpoint' : 'closed',
    bytes: side.bytes + report.bytes,
  };
}

/** A contract that both sides have closed is settled, or disputed. */
export function settle(sides: Sides, byteCount: number): Settlement {
  const { source, destination } = sides;
  if (source.state !== 'closed' || destination.state !== 'closed') return { kind: 'open', sides };
  if (Math.abs(source.bytes - destination.bytes) > mostDifference)
    return { kind: 'disputed', sides };
  return { kind: 'settled', sides, bytes: countPaid(sides, byteCount) };
}

/**
 * One pass over a contract that is older than five minutes. Where nobody reported, nothing is paid.
 * Where one side did, the other is taken to agree: at once if it was a close; if it was a
 * checkpoint, the next pass settles it. Where both did, their checkpoints are final.
 */
export function forceClose(sides: Sides, byteCount: number): Settlement {
  const { source, destination } = sides;
  if (source.state === 'unreported' && destination.state === 'unreported')
    return { kind: 'settled', sides, bytes: 0 };
  if (source.state !== 'unreported' && destination.state !== 'unreported')
    return settle({ source: finish(source), destination: finish(destination) }, byteCount);
  const reported = source.state === 'unreported' ? destination : source;
  return settle({ source: reported, destination: reported }, byteCount);
}

/**
 * The mean of both counts. Who reports more than the contract was made for breaks its settlement:
 * nothing is paid.
 */
export function countPaid({ source, destination }: Sides, byteCount: number): number {
  if (Math.max(source.bytes, destination.bytes) > byteCount) return 0;
  return Math.floor((source.bytes + destination.bytes) / 2);
}

function finish(side: Side): Side {
  return { ...side, state: 'closed' };
}
