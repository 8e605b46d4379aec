import { lastSpareAge, lastSparesAge, renewAge, spareAge } from './ages.ts';

/** What is known when spare contracts are planned. */
export interface SpareFacts {
  /** The spares in hand, in the order in which they came: the first is the oldest. */
  readonly spares: readonly SpareFact[];
  /** What the consumer was sent in the last minute. */
  readonly bytesPerMinute: number;
  /** In the busiest of the last minutes: after a pause, it will want as much again. */
  readonly mostPerMinute: number;
  /** Ms since the consumer's newest contract was made; undefined where it is not known. */
  readonly anchorAge: number | undefined;
}

interface SpareFact {
  /** Bytes that may be sent by it. */
  readonly usable: number;
  readonly age: number;
}

export interface SparePlan {
  /** How many bytes the next spare should carry at least; undefined where none is wanted. */
  readonly wants: number | undefined;
  /** So many of the oldest are to be given back: younger ones have taken their place. */
  readonly surplus: number;
}

/**
 * For so long, spares carry a consumer for whom the service grants no contract any more. Programs
 * use an identity for three quarters of an hour, and most pause once in that.
 */
const bridgeMinutes = 15;
const mostSpares = 4;

/**
 * Plans spares: one at all times, replaced each minute, and more often when it may be the last, so
 * that there is always a young one to move on to; and enough for a bridge, once the consumer's own
 * contract is so old that the service may soon refuse us.
 */
export function planSpares(facts: SpareFacts): SparePlan {
  const { spares, bytesPerMinute, mostPerMinute, anchorAge = 0 } = facts;
  const needed = anchorAge >= renewAge ? toBridge(mostPerMinute) : 0;
  const mayBeLast = anchorAge >= lastSparesAge;
  const oldAge = mayBeLast ? lastSpareAge : spareAge;
  const surplus = countSurplus(spares, needed, oldAge);
  const kept = spares.slice(surplus);
  const [oldest] = kept;
  const missing = needed - sumUsable(kept);
  if (oldest === undefined || (missing > 0 && kept.length < mostSpares))
    return { wants: Math.max(0, missing), surplus };
  // In a pause, only one that may be the last is worth a request.
  const isUsed = (mayBeLast ? mostPerMinute : bytesPerMinute) > 0;
  const isReplaced = oldest.age >= oldAge && isUsed;
  return { wants: isReplaced ? Math.max(0, missing) + oldest.usable : undefined, surplus };
}

/** Whether the spares would carry such a consumer for as long as a bridge has to. */
export function wouldBridge({ spares, mostPerMinute }: SpareFacts): boolean {
  return sumUsable(spares) >= toBridge(mostPerMinute);
}

function toBridge(mostPerMinute: number): number {
  return bridgeMinutes * mostPerMinute;
}

function countSurplus(spares: readonly SpareFact[], needed: number, oldAge: number): number {
  let surplus = 0;
  for (const { age } of spares.slice(0, -1)) {
    const without = spares.slice(surplus + 1);
    const isEnough = sumUsable(without) >= needed || without.length >= mostSpares;
    if (age < oldAge || !isEnough) break;
    surplus++;
  }
  return surplus;
}

function sumUsable(spares: readonly SpareFact[]): number {
  return spares.reduce((sum, { usable }) => sum + usable, 0);
}
