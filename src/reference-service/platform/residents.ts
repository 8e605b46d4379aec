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
 * one resident. What comes for a client goes in turn to all sockets of its newest process, also on
 * two hosts; an older process starves without a sign.
 */
export interface Residents {
  add(of: Placed): Resident;
  remove(of: Placed): void;
  /** Who is served; undefined for a client that is not connected. */
  find(clientId: Id): Resident | undefined;
  /** Hands a message to the client's next socket; false where it is lost. */
  send(clientId: Id, bytes: Buffer): boolean;
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

export function createResidents(): Residents {
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

  return {
    add(of) {
      const held = clients.get(of.clientId) ?? { residents: [], served: [], next: 0 };
      clients.set(of.clientId, held);
      const { instanceId, host } = of;
      const known = held.residents.find((one) => isSame(one, of));
      const resident = known ?? { instanceId, host, number: count++, lines: [] };
      if (known === undefined) held.residents.push(resident);
      resident.lines.push(of.line);
      serve(held);
      return resident;
    },
    remove(of) {
      const held = clients.get(of.clientId);
      const lines = held?.residents.find((one) => isSame(one, of))?.lines ?? [];
      const at = lines.indexOf(of.line);
      if (held === undefined || at < 0) return;
      lines.splice(at, 1);
      held.residents = held.residents.filter((one) => one.lines.length > 0);
      serve(held);
      if (held.residents.length === 0) clients.delete(of.clientId);
    },
    find: (clientId) => clients.get(clientId)?.residents.at(-1),
    send(clientId, bytes) {
      const held = clients.get(clientId);
      if (held === undefined) return false;
      held.next = (held.next + 1) % held.served.length;
      const line = held.served[held.next];
      if (line === undefined || line.bufferedBytes() > mostBuffered) return false;
      line.send(bytes);
      return true;
    },
  };
}
