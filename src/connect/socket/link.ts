import { createHastenedClock } from '../contract/hastened-clock.ts';
import type { Id } from '../wire/id.ts';
import { dialSocket, findEnd, isOver, type LinkSocket, pingEvery } from './link-socket.ts';
import { doubtAfter, findFarewell, findMoveTime, shortestBetweenMoves } from './moves.ts';
import { createReconnect } from './reconnect.ts';
import { firstNoteAfter, noteSockets, type Sighting } from './sighting.ts';
import { createSpeedTest } from './speed-test.ts';

/**
 * The way to the platform: one socket, or two while it moves from one host to another. It is told
 * what happens and the time, in ms of a clock that never goes back, and gives what to do. Every
 * call but `isOpen` and `wakeAt` gives effects, in the order in which they are to be done.
 */
export interface Link {
  /** Begins, or looks what is due: pings, silence, reconnects, a move. To be called at `wakeAt`. */
  step(now: number): readonly LinkEffect[];
  opened(socket: number, now: number): readonly LinkEffect[];
  received(socket: number, bytes: Buffer, now: number): readonly LinkEffect[];
  closed(socket: number, now: number): readonly LinkEffect[];
  /**
   * Sends a frame by the socket in use. Without one it is lost, and its sequence sends it again.
   */
  send(frame: Buffer, now: number): readonly LinkEffect[];
  /** The platform asks to come back by another host at that time: a socket is opened first. */
  move(at: number): void;
  /**
   * The socket in use may be dead: another one is opened first, as after a silence. Without one, a
   * dial that is planned is made at the next step.
   */
  doubt(now: number): void;
  /** What was in the way is mended: a dial that is planned is made at the next step. */
  hurry(): void;
  /** From now on so many of the platform's ms pass in one of ours: minutes are judged by them. */
  hasten(rate: number, now: number): void;
  isOpen(): boolean;
  /** The socket that frames are sent by; undefined where none is open. */
  inUse(): number | undefined;
  wakeAt(): number;
}

export type LinkEffect =
  | { readonly kind: 'dial'; readonly socket: number; readonly host: number }
  | { readonly kind: 'send'; readonly socket: number; readonly bytes: Buffer }
  | { readonly kind: 'close'; readonly socket: number }
  | { readonly kind: 'frame'; readonly bytes: Buffer }
  | { readonly kind: 'seen'; readonly sighting: Sighting }
  /** Ask by HTTP whether the token is good: a socket is closed without a reason. */
  | { readonly kind: 'check-token' };

export interface LinkOptions {
  readonly ownId: Id;
  /**
   * How many hosts there are; a host that drains answers 503 for ever, so the next one is tried.
   */
  readonly hosts: number;
  /** From 0 to 1. */
  readonly random: () => number;
  /** False where a dial is of no use, as without a good token; it is made once that changed. */
  readonly mayDial?: () => boolean;
}

export function createLink(options: LinkOptions): Link {
  const sockets = new Map<number, LinkSocket>();
  const reconnect = createReconnect(options.random);
  const speedTest = createSpeedTest(options.ownId);
  const mayDial = options.mayDial ?? (() => true);
  const clock = createHastenedClock();
  let inUse: LinkSocket | undefined;
  let count = 0;
  let host = 0;
  let dialAt = Number.NEGATIVE_INFINITY;
  /** These three are by the platform's clock. */
  let moveAt = Number.POSITIVE_INFINITY;
  let movedAt = Number.NEGATIVE_INFINITY;
  let doubtedAt = Number.NEGATIVE_INFINITY;
  /** From when the socket in use is doubted, although it is not silent. */
  let doubtsFrom = Number.POSITIVE_INFINITY;
  /** Of the time before the clock went at another rate; told at the next step. */
  let noted: readonly Sighting[] = [];

  const dial = (now: number): LinkEffect => {
    const number = count++;
    const socket = dialSocket(number, now);
    sockets.set(number, socket);
    dialAt = Number.POSITIVE_INFINITY;
    return { kind: 'dial', socket: number, host };
  };

  /** One that was left for it is used again, where it is still open: the one heard last. */
  const fallBack = (): void => {
    inUse = [...sockets.values()]
      .filter((one) => one.openedAt !== undefined)
      .toSorted((one, other) => other.heardAt - one.heardAt)[0];
    if (inUse !== undefined) inUse.closeAt = Number.POSITIVE_INFINITY;
  };

  /** A host that could not be reached, or moved to, is followed by the next one. */
  const planDial = (now: number, openedAt: number | undefined): void => {
    if (inUse !== undefined && openedAt === undefined) moveAt = clock.time(now + reconnect.delay());
    if (inUse !== undefined) return;
    if (openedAt === undefined) host = (host + 1) % options.hosts;
    if (sockets.size === 0) dialAt = now + reconnect.delay();
  };

  const remove = (socket: LinkSocket, now: number): readonly LinkEffect[] => {
    sockets.delete(socket.number);
    const { openedAt } = socket;
    // After a move, the old one ends as it should.
    if (socket !== inUse && openedAt !== undefined) return [];
    reconnect.closed(openedAt === undefined ? undefined : now - openedAt);
    if (socket === inUse) fallBack();
    planDial(now, openedAt);
    return reconnect.isTokenSuspect() ? [{ kind: 'check-token' }] : [];
  };

  const keepUp = (socket: LinkSocket, now: number): readonly LinkEffect[] => {
    if (isOver(socket, { now, there: clock.time(now) }))
      return [{ kind: 'close', socket: socket.number }, ...remove(socket, now)];
    if (socket.openedAt === undefined || now < socket.pingAt) return [];
    socket.pingAt = now + pingEvery;
    return [{ kind: 'send', socket: socket.number, bytes: Buffer.alloc(0) }];
  };

  const isDialling = (): boolean =>
    [...sockets.values()].some(({ openedAt }) => openedAt === undefined);
  /** When the socket in use is so silent that another one is tried. */
  const doubtAt = (): number =>
    inUse === undefined || isDialling()
      ? Number.POSITIVE_INFINITY
      : Math.max(
          Math.min(inUse.heardAt + doubtAfter, doubtsFrom),
          clock.ours(doubtedAt + shortestBetweenMoves),
        );

  const hurry = (): void => {
    if (dialAt !== Number.POSITIVE_INFINITY) dialAt = Number.NEGATIVE_INFINITY;
  };

  const sendReleased = (now: number): readonly LinkEffect[] =>
    inUse === undefined ? [] : speedTest.release(now).map((bytes) => toSend(inUse, bytes));

  return {
    step(now) {
      const effects = [...sockets.values()].flatMap((socket) => keepUp(socket, now));
      effects.push(...[...noted, ...noteSockets(sockets.values(), now, clock)].map(toSeen));
      noted = [];
      effects.push(...sendReleased(now));
      if (clock.time(now) >= moveAt) {
        moveAt = Number.POSITIVE_INFINITY;
        movedAt = clock.time(now);
        host = (host + 1) % options.hosts;
        if (inUse !== undefined) effects.push(dial(now));
      }
      if (now >= doubtAt() && mayDial()) {
        doubtedAt = clock.time(now);
        doubtsFrom = Number.POSITIVE_INFINITY;
        effects.push(dial(now));
      }
      if (now >= dialAt && mayDial()) effects.push(dial(now));
      return effects;
    },
    opened(number, now) {
      const socket = sockets.get(number);
      if (socket === undefined) return [{ kind: 'close', socket: number }];
      socket.openedAt = now;
      socket.heardAt = now;
      const time = clock.time(now);
      socket.openedThere = time;
      socket.noteAt = time + firstNoteAfter;
      if (inUse !== undefined) inUse.closeAt = time + findFarewell(time - inUse.openedThere);
      inUse = socket;
      return sendReleased(now);
    },
    received(number, bytes, now) {
      const socket = sockets.get(number);
      if (socket === undefined) return [];
      socket.heardAt = now;
      const use = speedTest.take(bytes, now);
      if (use === 'frame') return [{ kind: 'frame', bytes }];
      if (use === 'ignore') return [];
      const sighting = speedTest.takeSighting();
      const seen = sighting === undefined ? [] : [toSeen(sighting)];
      // The end of a test is echoed before what waited for it.
      return [toSend(socket, bytes), ...sendReleased(now), ...seen];
    },
    closed(number, now) {
      const socket = sockets.get(number);
      return socket === undefined ? [] : remove(socket, now);
    },
    send(frame, now) {
      if (inUse === undefined || speedTest.hold(frame, now)) return [];
      return [toSend(inUse, frame)];
    },
    move(at) {
      const openedAt = inUse?.openedThere ?? Number.NEGATIVE_INFINITY;
      moveAt = Math.min(moveAt, findMoveTime(clock.time(at), { movedAt, openedAt }));
    },
    doubt(now) {
      if (inUse === undefined) hurry();
      else doubtsFrom = now;
    },
    hurry,
    hasten(rate, now) {
      noted = [...noted, ...noteSockets(sockets.values(), now, clock)];
      clock.hasten(rate, now);
    },
    isOpen: () => inUse !== undefined,
    inUse: () => inUse?.number,
    wakeAt() {
      const nextDialAt = mayDial() ? Math.min(dialAt, doubtAt()) : Number.POSITIVE_INFINITY;
      let soonest = Math.min(nextDialAt, speedTest.wakeAt());
      let soonestThere = moveAt;
      for (const socket of sockets.values()) {
        const ends = findEnd(socket);
        soonest = Math.min(soonest, ends, socket.openedAt === undefined ? ends : socket.pingAt);
        soonestThere = Math.min(soonestThere, socket.closeAt, socket.noteAt);
      }
      return Math.min(soonest, clock.ours(soonestThere));
    },
  };
}

function toSeen(sighting: Sighting): LinkEffect {
  return { kind: 'seen', sighting };
}

function toSend(socket: LinkSocket | undefined, bytes: Buffer): LinkEffect {
  return { kind: 'send', socket: socket?.number ?? -1, bytes };
}
