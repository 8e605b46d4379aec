import type { Id } from '../../connect/wire/id.ts';

/** One open socket of a client. */
export interface Line {
  send(bytes: Buffer): void;
  /** Ends it at once, without a reason. */
  end(): void;
  /** Bytes that wait for the line. */
  bufferedBytes(): number;
}

/**
 * The sockets of all clients. Sockets of one process on one host, which say the same instance, are
 * one resident, and so is a socket that such a process opens within five minutes of its last one:
 * its forwards live on. What comes for a client goes in turn to all sockets of its newest process,
 * also on two hosts; an older process starves without a sign.
 */
export interface Residents {
  add(of: Placed): Resident;
  remove(of: Placed): void;
  /** Who is served; undefined for a client that is not there. */
  find(clientId: Id): Resident | undefined;
  /** Hands a message to the client's next socket; false where it is lost. */
  send(clientId: Id, bytes: Buffer): boolean;
  /** Forgets who has had no socket for too long. */
  sweep(): void;
}

export interface Resident {
  readonly instanceId: string;
  /** The host that it is on: hosts follow each other, as they drain. */
  readonly host: number;
  /** Grows with each new one. */
  readonly number: number;
}

interface Placed extends Pick<Resident, 'instanceId' | 'host'> {
  readonly clientId: Id;
  readonly line: Line;
}

interface HeldResident extends Resident {
  readonly lines: Line[];
  /** When its last socket was closed; undefined while it has one. */
  leftAt: number | undefined;
}

interface Held {
  /** The newest last. */
  residents: HeldResident[];
  /** What the next message goes to one of, in turn. */
  served: readonly Line[];
  next: number;
}

/** What waits for one line; more is dropped without a word. */
const mostBuffered = 4 * 1024 * 1024;
/** A resident outlives its last socket by so much, in ms of the platform's clock. */
const staysFor = 300_000;

/** `now` is the platform's clock. */
export function createResidents(now: () => number): Residents {
  const clients = new Map<Id, Held>();
  let count = 0;

  const isSame = (one: Resident, other: Pick<Resident, 'instanceId' | 'host'>): boolean =>
    one.instanceId === other.instanceId && one.host === other.host;

  /** All sockets of the newest process are served. */
  const serve = (held: Held): void => {
    const newest = held.residents.at(-1)?.instanceId;
    held.served = held.residents
      .filter(({ instanceId }) => instanceId === newest)
      .flatMap(({ lines }) => lines);
  };
  /** A process that is gone serves nobody in place of one that is there. */
  const forget = (clientId: Id, held: Held): void => {
    const isThere = held.residents.some(({ lines }) => lines.length > 0);
    held.residents = held.residents.filter(
      ({ lines, leftAt = 0 }) => lines.length > 0 || (!isThere && now() - leftAt < staysFor),
    );
    serve(held);
    if (held.residents.length === 0) clients.delete(clientId);
  };

  return {
    add(of) {
      const held = clients.get(of.clientId) ?? { residents: [], served: [], next: 0 };
      clients.set(of.clientId, held);
      const { instanceId, host } = of;
      const known = held.residents.find((one) => isSame(one, of));
      const resident = known ?? { instanceId, host, number: count++, lines: [], leftAt: undefined };
      if (known === undefined) held.residents.push(resident);
      resident.lines.push(of.line);
      resident.leftAt = undefined;
      forget(of.clientId, held);
      return resident;
    },
    remove(of) {
      const held = clients.get(of.clientId);
      const resident = held?.residents.find((one) => isSame(one, of));
      const at = resident?.lines.indexOf(of.line) ?? -1;
      if (held === undefined || resident === undefined || at < 0) return;
      resident.lines.splice(at, 1);
      if (resident.lines.length === 0) resident.leftAt = now();
      forget(of.clientId, held);
    },
    find: (clientId) => clients.get(clientId)?.residents.at(-1),
    send(clientId, bytes) {
      const held = clients.get(clientId);
      if (held === undefined || held.served.length === 0) return false;
      held.next = (held.next + 1) % held.served.length;
      const line = held.served[held.next];
      if (line === undefined || line.bufferedBytes() > mostBuffered) return false;
      line.send(bytes);
      return true;
    },
    sweep() {
      for (const [clientId, held] of clients) forget(clientId, held);
    },
  };
}
