import { makeClockRateMessage } from '../../connect/socket/clock-rate.ts';
import type { Frame } from '../../connect/wire/frame.ts';
import { fromUuid, type Id } from '../../connect/wire/id.ts';
import { decodeTransferFrame, readPath } from '../../connect/wire/transfer-frame.ts';
import { WireError } from '../../connect/wire/wire-error.ts';
import type { SocketSync } from './blocks.ts';
import { type ControlPeers, createControlPeers } from './control-peers.ts';
import type { Forwards } from './forwards.ts';
import type { Caller } from './issue-contract.ts';
import type { LineResult, LineTime } from './line-test.ts';
import type { Line, Residents } from './residents.ts';
import type { SocketListener } from './socket-server.ts';
import { createVisit, longestSpecial, type Visit } from './visit.ts';

/** The open sockets of clients: what each one says is carried out, and each is kept alive. */
export interface Visits {
  open(caller: Caller, instanceId: string, line: Line): SocketListener;
  /** Sends what is due, and says what changed; call it a few times a second. */
  step(): void;
  /** Whether the client has a socket that counts as a connection. */
  isAnnounced(clientId: string): boolean;
  /** What is to be noted in blocks now. */
  takeSyncs(): readonly SocketSync[];
  /**
   * The host drains: every client is told to come back by another at `migrateAt`, in ms of our own
   * clock. Sockets that open from now on are on another host.
   */
  drain(migrateAt: number): void;
  /** Ends the sockets on hosts that have drained. */
  endDrained(): void;
  /** Tells a client something, if it is connected. */
  tell(clientId: Id, frame: Frame): void;
  /** Says that so many of the platform's ms pass in one of ours from now on. */
  hasten(rate: number): void;
}

export interface VisitsOptions {
  readonly residents: Residents;
  readonly forwards: Forwards;
  readonly clocks: () => LineTime;
  readonly rate: () => number;
  readonly newId: () => Id;
  readonly randomBytes: (length: number) => Buffer;
  readonly onControlFrame: (caller: Caller, frame: Frame) => void;
  /** What a new resident of the client is told of its streams. */
  readonly resetStreams: (clientId: Id) => readonly Frame[];
  /** Does it, and warns where it throws: the other visits go on. */
  readonly attempt: (work: () => void) => void;
  /** A socket was opened; what is returned hears of it from then on. */
  readonly onOpened: (of: { readonly clientId: string; readonly openedMs: number }) => VisitWatcher;
  /** The client counts as connected now, or no longer. */
  readonly onConnection: (of: { readonly clientId: string; readonly isConnected: boolean }) => void;
}

interface VisitWatcher {
  onMeasured(result: LineResult): void;
  onClosed(): void;
}

interface Held {
  readonly visit: Visit;
  readonly watcher: VisitWatcher;
  isAnnounced: boolean;
  measured: LineResult;
}

export function createVisits(options: VisitsOptions): Visits {
  const { residents, forwards } = options;
  const visits = new Set<Held>();
  const known = new Set<string>();
  const peers: ControlPeers = createControlPeers(options);
  let host = 0;

  const isAnnounced = (clientId: string): boolean =>
    [...visits].some((held) => held.visit.caller.clientId === clientId && held.isAnnounced);

  const takeControl = (visit: Visit, bytes: Buffer): void => {
    try {
      peers.take(visit, decodeTransferFrame(bytes).body);
    } catch (error) {
      // A message that cannot be read is lost, and nothing else.
      if (!(error instanceof WireError)) throw error;
    }
  };

  const pass = (visit: Visit, destinationId: Id, bytes: Buffer): void => {
    const to = residents.find(destinationId);
    if (to === undefined) return;
    const between = { source: visit.resident.number, destination: to.number };
    if (!forwards.mayPass({ sourceId: visit.ownId, destinationId }, between)) return;
    residents.send(destinationId, bytes);
  };

  /** A frame in another's name is dropped. */
  const takeFrame = (visit: Visit, bytes: Buffer): void => {
    const path = readPath(bytes);
    if (path === undefined || path.sourceId !== visit.ownId) return;
    if (path.destinationId === undefined) takeControl(visit, bytes);
    else pass(visit, path.destinationId, bytes);
  };

  const close = (held: Held): void => {
    const { caller, resident, line, ownId } = held.visit;
    visits.delete(held);
    residents.remove({ ...resident, clientId: ownId, line });
    if ([...visits].every(({ visit }) => visit.resident !== resident)) peers.end(resident);
    held.watcher.onClosed();
    if (held.isAnnounced && !isAnnounced(caller.clientId))
      options.onConnection({ clientId: caller.clientId, isConnected: false });
  };

  const announce = (held: Held): void => {
    const { clientId } = held.visit.caller;
    const wasAnnounced = isAnnounced(clientId);
    held.isAnnounced = true;
    if (!wasAnnounced) options.onConnection({ clientId, isConnected: true });
  };

  const noteMeasured = (held: Held): void => {
    const result = held.visit.measured();
    const { latencyMs, bytesPerSecond } = held.measured;
    if (result.latencyMs === latencyMs && result.bytesPerSecond === bytesPerSecond) return;
    held.measured = result;
    held.watcher.onMeasured(result);
  };

  const stepOne = (held: Held): void => {
    held.visit.step();
    peers.step(held.visit);
    if (!held.isAnnounced && held.visit.isDueToAnnounce()) announce(held);
    noteMeasured(held);
  };

  return {
    open(caller, instanceId, line) {
      const { clientId } = caller;
      // First of all: where it fails, nothing was begun.
      const watcher = options.onOpened({ clientId, openedMs: options.clocks().platformNow });
      const watched: Line = {
        ...line,
        send(bytes) {
          visit.noteSent(bytes.length);
          line.send(bytes);
        },
      };
      const resident = residents.add({
        clientId: fromUuid(clientId),
        instanceId,
        host,
        line: watched,
      });
      const visit = createVisit({
        ...options,
        ...{ caller, line: watched, resident },
        isFirst: !known.has(clientId),
      });
      known.add(clientId);
      const held: Held = { visit, watcher, isAnnounced: false, measured: visit.measured() };
      visits.add(held);
      peers.greet(visit);
      return {
        onMessage(bytes) {
          visit.heard(bytes);
          if (bytes.length > longestSpecial) takeFrame(visit, bytes);
        },
        onClose: () => close(held),
      };
    },
    step() {
      for (const held of [...visits]) options.attempt(() => stepOne(held));
    },
    isAnnounced,
    takeSyncs: () => [...visits].flatMap(({ visit }) => visit.takeSyncs()),
    drain(migrateAt) {
      host++;
      for (const { visit } of visits) peers.askToMove(visit, migrateAt);
    },
    endDrained() {
      for (const { visit } of visits) if (visit.resident.host < host) visit.line.end();
    },
    tell(clientId, frame) {
      const newest = [...visits].findLast(({ visit }) => visit.ownId === clientId);
      if (newest !== undefined) peers.tell(newest.visit, frame);
    },
    hasten(rate) {
      const message = makeClockRateMessage(rate);
      for (const { visit } of visits) visit.line.send(message);
    },
  };
}
