import type { Line } from '../../../src/reference-service/platform/residents.ts';

/** What the platform does with a socket. */
interface Listener {
  onMessage(bytes: Buffer): void;
  onClose(): void;
}

/** The device's line to the platform, as TCP carries it: in order, late, or not any more. */
export interface WeekLine {
  dial(socket: number): void;
  send(socket: number, bytes: Buffer): void;
  close(socket: number): void;
  closeAll(): void;
  /** Carries what is due. */
  step(): void;
  nextAt(): number;
  /** Every socket is reset: both ends see it at once. */
  reset(): void;
  /** What is open carries nothing any more, and nobody is told; new sockets open after so long. */
  die(outMs: number): void;
  /** Nothing moves for so long, then all that waited does. */
  stall(ms: number): void;
}

export interface WeekLineOptions {
  readonly now: () => number;
  /** The platform takes a socket. */
  readonly open: (line: Line) => Listener;
  readonly opened: (socket: number) => void;
  readonly received: (socket: number, bytes: Buffer) => void;
  readonly closed: (socket: number) => void;
}

interface Held {
  listener: Listener | undefined;
  isDead: boolean;
  isClosed: boolean;
}

const wayMs = 20;

export function createWeekLine(options: WeekLineOptions): WeekLine {
  const { now } = options;
  const sockets = new Map<number, Held>();
  const due: { readonly at: number; readonly act: () => void }[] = [];
  /** Nothing arrives before. */
  let stalledUntil = Number.NEGATIVE_INFINITY;

  const later = (act: () => void, ms = wayMs): void => {
    const at = Math.max(now() + ms, stalledUntil);
    let place = due.length;
    while (place > 0 && (due[place - 1]?.at ?? 0) > at) place--;
    due.splice(place, 0, { at, act });
  };
  const carry = (held: Held, act: () => void): void =>
    later(() => {
      if (!held.isDead && !held.isClosed) act();
    });
  const end = (held: Held): void => {
    if (held.isClosed) return;
    held.isClosed = true;
    held.listener?.onClose();
  };
  const open = (socket: number, held: Held): void => {
    held.listener = options.open({
      send: (bytes) => carry(held, () => options.received(socket, bytes)),
      end() {
        const wasDead = held.isDead;
        end(held);
        if (!wasDead) later(() => options.closed(socket));
      },
      bufferedBytes: () => 0,
    });
    carry(held, () => options.opened(socket));
  };

  return {
    dial(socket) {
      const held = { listener: undefined, isDead: false, isClosed: false };
      sockets.set(socket, held);
      carry(held, () => open(socket, held));
    },
    send(socket, bytes) {
      const held = sockets.get(socket);
      if (held !== undefined) carry(held, () => held.listener?.onMessage(bytes));
    },
    close(socket) {
      const held = sockets.get(socket);
      sockets.delete(socket);
      // Of a line that is dead, the platform hears nothing.
      if (held !== undefined && !held.isDead) later(() => end(held));
    },
    closeAll() {
      for (const held of sockets.values()) if (!held.isDead) end(held);
      sockets.clear();
    },
    step() {
      while ((due[0]?.at ?? Number.POSITIVE_INFINITY) <= now()) due.shift()?.act();
    },
    nextAt: () => due[0]?.at ?? Number.POSITIVE_INFINITY,
    reset() {
      for (const [socket, held] of sockets) {
        end(held);
        later(() => options.closed(socket), 0);
      }
      sockets.clear();
    },
    die(outMs) {
      for (const held of sockets.values()) held.isDead = true;
      stalledUntil = now() + outMs;
    },
    stall(ms) {
      stalledUntil = Math.max(stalledUntil, now() + ms);
      for (const [place, one] of due.entries())
        due[place] = { ...one, at: Math.max(one.at, stalledUntil) };
    },
  };
}
