/*
 * When one socket is left for another. The platform notes a socket first when it is 35 s old. A
 * minute without a note does not count for a provider, and one with two new sockets does not.
 */

/**
 * The platform pings as often as we do, so two of its pings did not come: another socket is opened
 * before the silent one is given up. Consumers leave a provider that is silent for twenty seconds.
 */
export const doubtAfter = 12_000;
/** Whatever the platform asks: two sockets are not noted in the same minute. */
export const shortestBetweenMoves = 65_000;
/** One that is left so young is closed before it is noted. */
const youngAge = 25_000;
const shortFarewell = 2000;
/** So long the old one is kept: until the new one was noted. */
const farewell = 40_000;

/** When a move is made that is wanted at a time; all times in ms of one clock. */
export function findMoveTime(
  at: number,
  last: { readonly movedAt: number; readonly openedAt: number },
): number {
  const soonest = Math.max(at, last.movedAt + shortestBetweenMoves);
  const isYoung = soonest - last.openedAt < youngAge;
  return isYoung ? soonest : Math.max(soonest, last.openedAt + shortestBetweenMoves);
}

/**
 * How long a socket of that age is kept, and read, after another has taken its place: two sockets
 * of a process share what comes in.
 */
export function findFarewell(age: number): number {
  return age < youngAge + shortFarewell ? shortFarewell : farewell;
}
