import type { HastenedClock } from '../contract/hastened-clock.ts';

/** What shows how the platform sees this device, told at the moment at which it happens. */
export type Sighting =
  /**
   * The platform takes note of an open socket about now, by which it judges the minute.
   * `isFirst`: it takes the socket for a new connection. `aheadMs`: how much more of its time than
   * of ours had passed since this process began; 0 but where a sandbox has hastened its clock.
   */
  | { readonly kind: 'noted'; readonly isFirst: boolean; readonly aheadMs: number }
  /** What is published changed while connected: that costs the minute. */
  | { readonly kind: 'changed' }
  /** A probe of the latency came, and was sent back. */
  | { readonly kind: 'latency-test' }
  /** A speed test ended. `isWhole`: all of it came, and was sent back. */
  | { readonly kind: 'speed-test'; readonly bytesPerSecond: number; readonly isWhole: boolean };

/** A socket is noted when it is so old (ms), and then again and again. */
export const firstNoteAfter = 35_000;
const noteEvery = 30_000;

interface NotedSocket {
  isNoted: boolean;
  /** When it is noted next: infinite before it is open. */
  noteAt: number;
}

/**
 * What is seen of sockets at a time, in order. When each is due again, it has after. Where the
 * clock is hastened, minutes pass between two turns of this process, and none of them was missed.
 */
export function noteSockets(
  sockets: Iterable<NotedSocket>,
  now: number,
  clock: Pick<HastenedClock, 'time' | 'isHastened'>,
): readonly Sighting[] {
  const there = clock.time(now);
  const notes: { at: number; isFirst: boolean }[] = [];
  const note = (socket: NotedSocket): void => {
    const at = clock.isHastened() ? socket.noteAt : there;
    notes.push({ at, isFirst: !socket.isNoted });
    socket.isNoted = true;
    socket.noteAt += noteEvery;
    // Where this process stood still, what it missed is not known.
    if (!clock.isHastened()) socket.noteAt = Math.max(socket.noteAt, there + 1);
  };
  for (const socket of sockets) while (socket.noteAt <= there) note(socket);
  return notes
    .toSorted((one, other) => one.at - other.at)
    .map(({ at, isFirst }) => ({ kind: 'noted', isFirst, aheadMs: Math.round(at - now) }));
}
