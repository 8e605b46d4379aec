import { residentMigrate } from '../../connect/wire/control-messages.ts';
import { type Frame, toFrame } from '../../connect/wire/frame.ts';
import type { Id } from '../../connect/wire/id.ts';
import { encode } from '../../connect/wire/message.ts';
import { messageTypes } from '../../connect/wire/message-types.ts';
import {
  encodeAckFrame,
  encodePackFrame,
  type TransferFrame,
  type TransferPath,
} from '../../connect/wire/transfer-frame.ts';
import { type ControlPeer, createControlPeer } from './control-peer.ts';
import type { Caller } from './issue-contract.ts';
import type { LineTime } from './line-test.ts';
import type { Resident, Residents } from './residents.ts';
import type { Visit } from './visit.ts';

/** The platform's own talk with every resident. */
export interface ControlPeers {
  /** Tells a new resident what each one is told first; does nothing for one that is known. */
  greet(visit: Visit): void;
  take(visit: Visit, body: TransferFrame['body']): void;
  /** Tells the client something; it is repeated until the client has acknowledged it. */
  tell(visit: Visit, frame: Frame): void;
  /** Asks the client to open a socket on another host at that time, in Unix ms. */
  askToMove(visit: Visit, migrateAt: number): void;
  /** Sends what is due. */
  step(visit: Visit): void;
  end(resident: Resident): void;
}

export interface ControlPeersOptions {
  readonly residents: Residents;
  readonly clocks: () => LineTime;
  readonly newId: () => Id;
  readonly onControlFrame: (caller: Caller, frame: Frame) => void;
  /** Which streams a new resident of the client has: the first that it is told. */
  readonly resetStreams: (clientId: Id) => readonly Frame[];
  /** Does it, and warns where it throws. */
  readonly attempt: (work: () => void) => void;
}

/** Acks are collected for a moment. */
const ackDelay = 15;
export function createControlPeers(options: ControlPeersOptions): ControlPeers {
  const { residents, clocks } = options;
  const peers = new Map<Resident, ControlPeer>();
  /** Residents that are stepped in a moment. */
  const waiting = new Set<Resident>();

  const step = ({ ownId, resident }: Visit): void => {
    const peer = peers.get(resident);
    if (peer === undefined) return;
    const path: TransferPath = { sourceId: undefined, destinationId: ownId, streamId: undefined };
    const { packs, acks } = peer.step(clocks().now);
    for (const ack of acks) residents.send(ownId, encodeAckFrame(path, ack));
    for (const pack of packs) residents.send(ownId, encodePackFrame(path, pack));
  };

  const stepSoon = (visit: Visit): void => {
    const { resident } = visit;
    if (waiting.has(resident)) return;
    waiting.add(resident);
    setTimeout(() => {
      waiting.delete(resident);
      // Nobody is there who could catch what it throws.
      options.attempt(() => step(visit));
    }, ackDelay);
  };

  const tell = (visit: Visit, frame: Frame): void => {
    peers.get(visit.resident)?.tell(frame, clocks().now);
    stepSoon(visit);
  };

  return {
    greet(visit) {
      if (peers.has(visit.resident)) return;
      const onFrame = (frame: Frame): void => options.onControlFrame(visit.caller, frame);
      peers.set(visit.resident, createControlPeer({ newId: options.newId, onFrame }));
      // Its streams and the network's other devices begin again.
      for (const frame of options.resetStreams(visit.ownId)) tell(visit, frame);
      tell(visit, toFrame(messageTypes.networkPeersReset, Buffer.alloc(0)));
    },
    take(visit, body) {
      peers.get(visit.resident)?.take(body, clocks().now);
      stepSoon(visit);
    },
    tell,
    askToMove: (visit, migrateAt) =>
      tell(visit, toFrame(messageTypes.residentMigrate, encode(residentMigrate, { migrateAt }))),
    step,
    end(resident) {
      peers.get(resident)?.end();
      peers.delete(resident);
    },
  };
}
