/** One socket of a link. Times are in ms. */
export interface LinkSocket {
  readonly number: number;
  readonly dialledAt: number;
  openedAt: number | undefined;
  heardAt: number;
  pingAt: number;
  /** By the platform's clock, as all that follows. */
  openedThere: number;
  isNoted: boolean;
  /** When the platform takes note of it next. */
  noteAt: number;
  /** A newer one is in use: it is read until then. */
  closeAt: number;
}

/** A block counts only with a message in it, and the platform pings as often as we do. */
export const pingEvery = 5000;
const longestSilence = 30_000;
const longestDial = 15_000;

export function dialSocket(number: number, now: number): LinkSocket {
  return {
    number,
    dialledAt: now,
    openedAt: undefined,
    heardAt: now,
    pingAt: now + pingEvery,
    openedThere: 0,
    isNoted: false,
    noteAt: Number.POSITIVE_INFINITY,
    closeAt: Number.POSITIVE_INFINITY,
  };
}

/** When it is given up, if nothing is heard of it. */
export function findEnd({ openedAt, dialledAt, heardAt }: LinkSocket): number {
  return openedAt === undefined ? dialledAt + longestDial : heardAt + longestSilence;
}

/** `there`: the platform's time. */
export function isOver(
  socket: LinkSocket,
  { now, there }: { readonly now: number; readonly there: number },
): boolean {
  return there >= socket.closeAt || now >= findEnd(socket);
}
