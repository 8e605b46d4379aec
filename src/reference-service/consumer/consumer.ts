import { createMemoryBudget } from '../../connect/sequence/hold-back.ts';
import { createReceiver, type Receiver } from '../../connect/sequence/receiver.ts';
import { createSender, type Sender } from '../../connect/sequence/sender.ts';
import type { CloseContract } from '../../connect/wire/contract-messages.ts';
import type { Id } from '../../connect/wire/id.ts';
import { readIpPacket, toProviderFrame } from '../../connect/wire/ip-frames.ts';
import { largestPacket, messageTypes } from '../../connect/wire/message-types.ts';
import type { Lane, Pack } from '../../connect/wire/pack.ts';
import {
  decodeTransferFrame,
  encodeAckFrame,
  encodePackFrame,
} from '../../connect/wire/transfer-frame.ts';
import { WireError } from '../../connect/wire/wire-error.ts';
import { type Companions, createCompanions } from './companions.ts';
import { type ConsumerContracts, createConsumerContracts } from './consumer-contracts.ts';

/**
 * One consumer of one provider, without its effects: packets and frames go in with the time (whole
 * ms of a clock that never goes back), and `step` gives what follows. Call `step` after each batch
 * of them, and at `wakeAt`.
 */
export interface Consumer {
  /** A packet to the Internet; false where it is dropped, because too many wait. */
  packet(bytes: Buffer, now: number): boolean;
  /** One binary message of the platform that is a frame. */
  frame(bytes: Buffer, now: number): void;
  /** The platform's answer to an ask; undefined where it granted nothing. */
  answered(ask: ConsumerAsk, contract: Buffer | undefined, now: number): void;
  /** At most so many Packs, so that the socket is not flooded. */
  step(now: number, most: number): ConsumerStep;
  wakeAt(now: number): number;
  /** Ends every sequence; the reports are the last ones. */
  end(): readonly CloseContract[];
  counters(): ConsumerCounters;
}

interface ConsumerStep {
  readonly frames: readonly Buffer[];
  readonly packets: readonly Buffer[];
  readonly asks: readonly ConsumerAsk[];
  readonly reports: readonly CloseContract[];
}

/** A contract to the provider that is to be asked for. */
export interface ConsumerAsk {
  readonly byteCount: number;
  readonly contracts: ConsumerContracts;
}

export interface ConsumerCounters {
  readonly upBytes: number;
  readonly downBytes: number;
  readonly contracts: number;
  /** Packs of the provider that no contract of ours paid for. */
  readonly unpaid: number;
  /** Packets above what consumers' devices take, messages that cannot be read. */
  readonly unsound: number;
}

export interface ConsumerOptions {
  readonly id: Id;
  readonly providerId: Id;
  /** By which the platform signs the provider's contracts to us. */
  readonly streamSecret: Buffer;
  readonly newId: () => Id;
  /** A contract that was asked for in vain is given back after so many ms. */
  readonly longestUnused: number;
}

const queueBytes = 1024 * 1024;
const budgetBytes = 8 * 1024 * 1024;
/** Contracts and ends are looked at so often, where nothing else happens. */
const round = 1000;
const upLane: Lane = { forceStream: false, isCompanion: false, number: 0 };

interface Incoming {
  readonly receiver: Receiver;
  readonly companions: Companions;
}

interface Outgoing {
  readonly sender: Sender;
  readonly contracts: ConsumerContracts;
}

export function createConsumer(options: ConsumerOptions): Consumer {
  const { id, providerId, newId } = options;
  const budget = createMemoryBudget(budgetBytes);
  const path = { sourceId: id, destinationId: providerId, streamId: undefined };
  const lanes = new Map<string, Incoming>();
  let packets: Buffer[] = [];
  let reports: CloseContract[] = [];
  let outgoing: Outgoing | undefined;
  const count = { upBytes: 0, downBytes: 0, contracts: 0, unpaid: 0, unsound: 0 };

  const begin = (): Outgoing => {
    const contracts = createConsumerContracts({ ...options, ownId: id });
    const sender = createSender({
      sequenceId: newId(),
      lane: upLane,
      payment: contracts,
      newMessageId: newId,
      queueBytes,
      budget,
    });
    outgoing = { sender, contracts };
    return outgoing;
  };
  const endOutgoing = (): void => {
    outgoing?.sender.end();
    reports.push(...(outgoing?.contracts.end() ?? []));
    count.contracts += outgoing?.contracts.opened() ?? 0;
    outgoing = undefined;
  };

  const takePacket = (packet: Buffer): void => {
    if (packet.length > largestPacket) {
      count.unsound++;
      return;
    }
    count.downBytes += packet.length;
    // A view of the message would not outlive it.
    packets.push(Buffer.from(packet));
  };
  const openLane = (sequenceId: Id): Incoming => {
    const companions = createCompanions({ ...options, ownId: id });
    const receiver = createReceiver({
      sequenceId,
      budget,
      knowsContract: companions.knows,
      deliver(pack) {
        if (!companions.pay(pack)) {
          count.unpaid++;
          return false;
        }
        for (const frame of pack.frames)
          if (frame.type === messageTypes.ipPacketFromProvider) takePacket(readIpPacket(frame));
        return true;
      },
    });
    return { receiver, companions };
  };
  const endLane = (key: string): void => {
    const lane = lanes.get(key);
    lane?.receiver.end();
    reports.push(...(lane?.companions.end() ?? []));
    lanes.delete(key);
  };
  /** A larger sequence id follows on the one before; a smaller one is over. */
  const findLane = ({ lane, sequenceId }: Pack): Incoming | undefined => {
    const key = toKey(lane);
    const known = lanes.get(key);
    if (known !== undefined && sequenceId <= known.receiver.sequenceId)
      return sequenceId === known.receiver.sequenceId ? known : undefined;
    endLane(key);
    const made = openLane(sequenceId);
    lanes.set(key, made);
    return made;
  };

  const read = (bytes: Buffer, now: number): void => {
    const { path: of, body } = decodeTransferFrame(bytes);
    if (of.destinationId !== id || of.sourceId !== providerId) return;
    if (body.kind === 'ack') outgoing?.sender.take(body.ack, now);
    else if (body.kind === 'pack') findLane(body.pack)?.receiver.take(body.pack, now);
  };

  const keepBooks = (now: number): readonly ConsumerAsk[] => {
    for (const [key, { receiver, companions }] of lanes) {
      reports.push(...companions.takeReports());
      const end = receiver.ended(now);
      if (end === 'gap' || end === 'idle') endLane(key);
    }
    if (outgoing === undefined) return [];
    const { sender, contracts } = outgoing;
    const { ask, reports: due } = contracts.step(now);
    reports.push(...due);
    if (sender.ended(now) !== undefined) endOutgoing();
    return ask === undefined ? [] : [{ byteCount: ask, contracts }];
  };

  return {
    packet(bytes, now) {
      const { sender } = outgoing ?? begin();
      const isTaken = sender.offer(toProviderFrame(bytes), now);
      if (isTaken) count.upBytes += bytes.length;
      return isTaken;
    },
    frame(bytes, now) {
      try {
        read(bytes, now);
      } catch (error) {
        if (!(error instanceof WireError)) throw error;
        count.unsound++;
      }
    },
    answered(ask, contract, now) {
      if (contract === undefined) ask.contracts.refused(now);
      else ask.contracts.granted(contract, now);
      // Of a sequence that is over, it is given back at once.
      if (ask.contracts !== outgoing?.contracts) reports.push(...ask.contracts.end());
    },
    step(now, most) {
      // It is asked first: what it finds missing is asked for in the same step.
      const packs = outgoing?.sender.step(now, most) ?? [];
      const asks = keepBooks(now);
      const acks = [...lanes.values()].flatMap(({ receiver }) => receiver.acks(now));
      const step = {
        frames: [
          ...acks.map((ack) => encodeAckFrame(path, ack)),
          ...packs.map((pack) => encodePackFrame(path, pack)),
        ],
        packets,
        asks,
        reports,
      };
      packets = [];
      reports = [];
      return step;
    },
    wakeAt(now) {
      let soonest = Math.min(now + round, outgoing?.sender.wakeAt(now) ?? now + round);
      for (const { receiver } of lanes.values()) soonest = Math.min(soonest, receiver.wakeAt());
      return Math.max(now + 1, soonest);
    },
    end() {
      for (const key of [...lanes.keys()]) endLane(key);
      endOutgoing();
      const last = reports;
      reports = [];
      return last;
    },
    counters: () => ({
      ...count,
      contracts: count.contracts + (outgoing?.contracts.opened() ?? 0),
    }),
  };
}

function toKey({ forceStream, isCompanion, number }: Lane): string {
  return `${Number(forceStream)}${Number(isCompanion)}${number}`;
}
