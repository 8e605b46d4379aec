import type { IncomingHttpHeaders } from 'node:http';
import type { Frame } from '../../connect/wire/frame.ts';
import { toFrame } from '../../connect/wire/frame.ts';
import { fromUuid, type Id } from '../../connect/wire/id.ts';
import { messageTypes } from '../../connect/wire/message-types.ts';
import {
  decodeTransferFrame,
  encodeAckFrame,
  encodePackFrame,
  readPath,
  type TransferPath,
} from '../../connect/wire/transfer-frame.ts';
import { WireError } from '../../connect/wire/wire-error.ts';
import { type ControlPeer, createControlPeer } from './control-peer.ts';
import type { Forwards } from './forwards.ts';
import type { Caller } from './issue-contract.ts';
import { createPings, type Pings } from './pings.ts';
import type { Line, Resident, Residents } from './residents.ts';
import type { SocketListener } from './socket-server.ts';

/** The open sockets of clients: what each one says is carried out, and each is kept alive. */
export interface Visits {
  open(caller: Caller, headers: IncomingHttpHeaders, line: Line): SocketListener;
  /** Pings, ends what is silent, and sends again; call it a few times a second. */
  step(): void;
  /** Clients whose sockets count as connections. */
  isAnnounced(clientId: string): boolean;
  counters(): VisitCounters;
}

interface VisitCounters {
  readonly sockets: number;
  readonly forwarded: number;
  /** Frames that no contract opens a forward for, or whose end is not there or is full. */
  readonly dropped: number;
  /** Frames in another's name, and what cannot be read. */
  readonly unsound: number;
}

export interface VisitsOptions {
  readonly residents: Residents;
  readonly forwards: Forwards;
  /** Our own clock, in ms. */
  readonly now: () => number;
  /** The platform's clock, in ms. */
  readonly platformNow: () => number;
  readonly newId: () => Id;
  readonly onControlFrame: (caller: Caller, frame: Frame) => void;
  /** The client counts as connected now, or no longer. */
  readonly onConnection: (of: { readonly clientId: string; readonly isConnected: boolean }) => void;
}

/** A socket counts as a connection after so long, by the platform's clock. */
const announceAfter = 5000;
/** Acks to a client are collected for a moment. */
const ackDelay = 15;

interface Visit {
  readonly caller: Caller;
  readonly ownId: Id;
  readonly instanceId: string;
  readonly line: Line;
  readonly resident: Resident;
  readonly pings: Pings;
  readonly openedAt: number;
  isAnnounced: boolean;
}

export function createVisits(options: VisitsOptions): Visits {
  const { residents, forwards, now, platformNow } = options;
  const visits = new Set<Visit>();
  /** By the number of the resident. */
  const peers = new Map<number, ControlPeer>();
  const waiting = new Set<number>();
  const count = { forwarded: 0, dropped: 0, unsound: 0 };

  const isAnnounced = (clientId: string): boolean =>
    [...visits].some((visit) => visit.caller.clientId === clientId && visit.isAnnounced);

  /** What the client is told at each new resident, before anything else. */
  const makePeer = (visit: Visit): ControlPeer => {
    const peer = createControlPeer({
      newId: options.newId,
      onFrame: (frame) => options.onControlFrame(visit.caller, frame),
    });
    for (const type of [messageTypes.streamReset, messageTypes.networkPeersReset])
      peer.tell(toFrame(type, Buffer.alloc(0)), now());
    peers.set(visit.resident.number, peer);
    return peer;
  };

  const tellNow = ({ ownId, resident }: Visit): void => {
    const peer = peers.get(resident.number);
    if (peer === undefined) return;
    const path: TransferPath = { sourceId: undefined, destinationId: ownId, streamId: undefined };
    const { packs, acks } = peer.step(now());
    for (const ack of acks) residents.send(ownId, encodeAckFrame(path, ack));
    for (const pack of packs) residents.send(ownId, encodePackFrame(path, pack));
  };

  const tellSoon = (visit: Visit): void => {
    const { number } = visit.resident;
    if (waiting.has(number)) return;
    waiting.add(number);
    setTimeout(() => {
      waiting.delete(number);
      tellNow(visit);
    }, ackDelay);
  };

  const takeControl = (visit: Visit, bytes: Buffer): void => {
    try {
      peers.get(visit.resident.number)?.take(decodeTransferFrame(bytes).body, now());
      tellSoon(visit);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      count.unsound++;
    }
  };

  const pass = (visit: Visit, destinationId: Id, bytes: Buffer): void => {
    const pair = { sourceId: visit.ownId, destinationId };
    const to = residents.find(destinationId);
    const passes =
      to !== undefined &&
      forwards.mayPass(pair, { source: visit.resident.number, destination: to.number }) &&
      residents.send(destinationId, bytes);
    if (passes) count.forwarded++;
    else count.dropped++;
  };

  const takeFrame = (visit: Visit, bytes: Buffer): void => {
    const path = readPath(bytes);
    if (path === undefined || path.sourceId !== visit.ownId) count.unsound++;
    else if (path.destinationId === undefined) takeControl(visit, bytes);
    else pass(visit, path.destinationId, bytes);
  };

  const close = (visit: Visit): void => {
    visits.delete(visit);
    residents.remove({ clientId: visit.ownId, ...visit });
    const { clientId } = visit.caller;
    const isLastOfResident = [...visits].every(({ resident }) => resident !== visit.resident);
    if (isLastOfResident) {
      peers.get(visit.resident.number)?.end();
      peers.delete(visit.resident.number);
    }
    if (visit.isAnnounced && !isAnnounced(clientId))
      options.onConnection({ clientId, isConnected: false });
  };

  const announce = (visit: Visit): void => {
    const { clientId } = visit.caller;
    const wasAnnounced = isAnnounced(clientId);
    visit.isAnnounced = true;
    if (!wasAnnounced) options.onConnection({ clientId, isConnected: true });
  };

  return {
    open(caller, headers, line) {
      const ownId = fromUuid(caller.clientId);
      const instanceId = readInstanceId(headers);
      const resident = residents.add({ clientId: ownId, instanceId, line });
      const visit: Visit = {
        caller,
        ownId,
        instanceId,
        line,
        resident,
        pings: createPings(now()),
        openedAt: platformNow(),
        isAnnounced: false,
      };
      visits.add(visit);
      if (!peers.has(resident.number)) makePeer(visit);
      tellSoon(visit);
      return {
        onMessage(bytes) {
          visit.pings.heard(bytes, now());
          if (bytes.length > longestSpecial) takeFrame(visit, bytes);
        },
        onClose: () => close(visit),
      };
    },
    step() {
      for (const visit of [...visits]) {
        const due = visit.pings.step(now());
        if (due === 'end') visit.line.end();
        if (due === 'ping') visit.line.send(Buffer.alloc(0));
        tellNow(visit);
        if (!visit.isAnnounced && platformNow() - visit.openedAt >= announceAfter) announce(visit);
      }
    },
    isAnnounced,
    counters: () => ({ sockets: visits.size, ...count }),
  };
}

/** Shorter messages are pings and tests of the line, and no frames. */
const longestSpecial = 16;

/** One without a good id is a process of its own. */
function readInstanceId(headers: IncomingHttpHeaders): string {
  const said = headers['x-ur-instanceid'];
  return typeof said === 'string' ? said.toLowerCase() : '';
}
