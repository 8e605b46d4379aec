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
 * The sockets of all clients. Sockets of one process, which say the same instance, are one resident
 * and share in turn what comes for the client. Of several processes only the newest is served: the
 * others starve without a sign.
 */
export interface Residents {
  add(of: Placed): Resident;
  remove(of: Placed): void;
  /** Who is served; undefined for a client that is not connected. */
  find(clientId: Id): Resident | undefined;
  /** Hands a message to the client's next socket; false where it is lost. */
  send(clientId: Id, bytes: Buffer): boolean;
  /** How many sockets each connected client has. */
  count(): ReadonlyMap<Id, number>;
}

export interface Resident {
  readonly instanceId: string;
  /** Grows with each new one: forwards of an older one are over. */
  readonly number: number;
}

interface Placed {
  readonly clientId: Id;
  readonly instanceId: string;
  readonly line: Line;
}

interface HeldResident extends Resident {
  readonly lines: Line[];
  /** Whose turn it is. */
  next: number;
}

/** What waits for one line; more is dropped without a word. */
const mostBuffered = 4 * 1024 * 1024;

export function createResidents(): Residents {
  /** By client; the newest resident last. */
  const held = new Map<Id, HeldResident[]>();
  let count = 0;

  return {
    add({ clientId, instanceId, line }) {
      const residents = held.get(clientId) ?? [];
      held.set(clientId, residents);
      const known = residents.find((one) => one.instanceId === instanceId);
      const resident = known ?? { instanceId, number: count++, lines: [], next: 0 };
      if (known === undefined) residents.push(resident);
      resident.lines.push(line);
      return resident;
    },
    remove({ clientId, instanceId, line }) {
      const residents = held.get(clientId) ?? [];
      const resident = residents.find((one) => one.instanceId === instanceId);
      resident?.lines.splice(resident.lines.indexOf(line), 1);
      const left = residents.filter(({ lines }) => lines.length > 0);
      if (left.length === 0) held.delete(clientId);
      else held.set(clientId, left);
    },
    find: (clientId) => held.get(clientId)?.at(-1),
    send(clientId, bytes) {
      const resident = held.get(clientId)?.at(-1);
      if (resident === undefined) return false;
      resident.next = (resident.next + 1) % resident.lines.length;
      const line = resident.lines[resident.next];
      if (line === undefined || line.bufferedBytes() > mostBuffered) return false;
      line.send(bytes);
      return true;
    },
    count: () =>
      new Map(
        [...held].map(([clientId, residents]) => [
          clientId,
          residents.reduce((sum, { lines }) => sum + lines.length, 0),
        ]),
      ),
  };
}
