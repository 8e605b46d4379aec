/** What shows how the platform sees this device, told at the moment at which it happens. */
export type Sighting =
  /**
   * The platform takes note of an open socket about now, by which it judges the minute.
   * `isFirst`: it takes the socket for a new connection.
   */
  | { readonly kind: 'noted'; readonly isFirst: boolean }
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

/** What is seen of a socket by the platform's clock, in ms. When it is due again, it has after. */
export function noteSocket(socket: NotedSocket, now: number): readonly Sighting[] {
  if (now < socket.noteAt) return [];
  // Where this process stood still, what it missed is not known.
  socket.noteAt = Math.max(socket.noteAt, now - noteEvery) + noteEvery;
  const isFirst = !socket.isNoted;
  socket.isNoted = true;
  return [{ kind: 'noted', isFirst }];
}
