import { readPeerKey } from '../../connect/contract/read-granted.ts';
import { unseal } from '../../connect/provider/unseal.ts';
import { createMemoryBudget } from '../../connect/sequence/hold-back.ts';
import { createReceiver, type Receiver } from '../../connect/sequence/receiver.ts';
import type { Ack } from '../../connect/wire/ack.ts';
import type { CloseContract } from '../../connect/wire/contract-messages.ts';
import type { Frame } from '../../connect/wire/frame.ts';
import type { Id } from '../../connect/wire/id.ts';
import { readIpPacket, toProviderFrame } from '../../connect/wire/ip-frames.ts';
import { largestPacket, messageTypes } from '../../connect/wire/message-types.ts';
import type { Lane, Pack } from '../../connect/wire/pack.ts';
import { WireError } from '../../connect/wire/wire-error.ts';
import { type Companions, createCompanions } from './companions.ts';
import { createFrameWriter } from './frame-writer.ts';
import { createHabits, type Habits, type Manner } from './habits.ts';
import type { ConsumerSealing } from './sealing.ts';
import { type ConsumerAsk, createUpLane, type UpLane } from './up-lane.ts';

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

export interface ConsumerCounters {
  readonly upBytes: number;
  readonly downBytes: number;
  readonly contracts: number;
  /** Packs of the provider that no contract of ours paid for. */
  readonly unpaid: number;
  /** Packets above what consumers' devices take, messages that cannot be read. */
  readonly unsound: number;
  readonly unansweredPings: number;
}

export interface ConsumerOptions {
  readonly id: Id;
  readonly providerId: Id;
  /** By which the platform signs the provider's contracts to us. */
  readonly streamSecret: Buffer;
  readonly manner: Manner;
  readonly newId: () => Id;
  readonly randomBytes: (length: number) => Buffer;
  /** How many of the platform's ms pass in one of ours. */
  readonly rate: number;
  /** Without it, nothing is sealed. */
  readonly sealing?: ConsumerSealing | undefined;
}

const budgetBytes = 8 * 1024 * 1024;
/** Contracts and ends are looked at so often, where nothing else happens. */
const round = 1000;
/** By the platform's clock: a spare contract is given back after so many ms. */
const longestUnused = 120_000;
/** By the platform's clock: an app gives a sequence up after so many ms without an ack. */
const longestUnackedSignals = 30_000;

interface Incoming {
  readonly receiver: Receiver;
  readonly companions: Companions;
}

export function createConsumer(options: ConsumerOptions): Consumer {
  const { id, providerId, rate, sealing } = options;
  const budget = createMemoryBudget(budgetBytes);
  const path = { sourceId: id, destinationId: providerId, streamId: undefined };
  const habits: Habits = createHabits(options);
  const shared = { ...options, ownId: id, budget, longestUnused: longestUnused / rate };
  const data: UpLane = createUpLane({
    ...shared,
    isHeld: () => sealing?.isHeld() === true,
    lane: { forceStream: false, isCompanion: false, number: 0 },
    longestUnacked: Number.POSITIVE_INFINITY,
  });
  const signals: UpLane = createUpLane({
    ...shared,
    lane: { forceStream: false, isCompanion: true, number: 0 },
    longestUnacked: longestUnackedSignals / rate,
  });
  const write = createFrameWriter(path, sealing);
  const lanes = new Map<string, Incoming>();
  let packets: Buffer[] = [];
  let reports: CloseContract[] = [];
  const count = { upBytes: 0, downBytes: 0, unpaid: 0, unsound: 0 };

  const takePacket = (packet: Buffer): void => {
    if (packet.length > largestPacket) {
      count.unsound++;
      return;
    }
    count.downBytes += packet.length;
    // A view of the message would not outlive it.
    packets.push(Buffer.from(packet));
  };
  const takeFrame = (frame: Frame, now: number): void => {
    if (frame.type === messageTypes.ipPacketFromProvider) takePacket(readIpPacket(frame));
    else if (frame.type === messageTypes.ipPing) habits.echoed(frame.bytes);
    else if (frame.type === messageTypes.encryptedControl) sealing?.take(frame.bytes, now);
  };
  const openLane = (sequenceId: Id): Incoming => {
    const companions = createCompanions({ ...options, ownId: id });
    const receiver = createReceiver({
      sequenceId,
      budget,
      knowsContract: companions.knows,
      deliver(pack, now) {
        if (!companions.pay(pack)) {
          count.unpaid++;
          return false;
        }
        for (const frame of pack.frames) takeFrame(frame, now);
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

  const takeAck = (ack: Ack, now: number): void => {
    data.take(ack, now);
    signals.take(ack, now);
  };
  const read = (bytes: Buffer, now: number): void => {
    const { path: of, body } = unseal(bytes, (_from, { bytes: sealed }) => sealing?.open(sealed));
    if (of.destinationId !== id || of.sourceId !== providerId) return;
    if (body.kind === 'ack') takeAck(body.ack, now);
    else if (body.kind === 'pack') findLane(body.pack)?.receiver.take(body.pack, now);
  };

  const followHabits = (now: number): void => {
    // A handshake is begun by the first packet: without one there is nothing to seal.
    if (count.upBytes > 0) for (const control of sealing?.say(now) ?? []) data.offer(control, now);

    const due = habits.step(now);
    for (const ping of due.pings) data.offer(ping, now);
    // There is something to answer once the provider has answered us.
    if (lanes.size > 0) for (const signal of due.signals) signals.offer(signal, now);
  };
  const keepBooks = (now: number): readonly ConsumerAsk[] => {
    for (const [key, { receiver, companions }] of lanes) {
      reports.push(...companions.takeReports());
      const end = receiver.ended(now);
      if (end === 'gap' || end === 'idle') endLane(key);
    }
    const asks = [data, signals].flatMap((lane) => lane.keepBooks(now) ?? []);
    reports.push(...data.takeReports(), ...signals.takeReports());
    return asks;
  };

  return {
    packet(bytes, now) {
      const isTaken = data.offer(toProviderFrame(bytes), now);
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
      if (contract !== undefined) sealing?.setProviderKey(readPeerKey(contract)?.publicKey);
      (ask.isCompanion ? signals : data).answered(ask, contract, now);
    },
    step(now, most) {
      followHabits(now);
      const early = signals.packs(now, most);
      const packs = [...early, ...data.packs(now, most - early.length)];
      // Asked after the Packs: what they found missing is asked for in the same step.
      const asks = keepBooks(now);
      const acks = [...lanes.values()].flatMap(({ receiver }) => receiver.acks(now));
      const step = {
        frames: write(acks, packs),
        packets,
        asks,
        reports,
      };
      packets = [];
      reports = [];
      return step;
    },
    wakeAt(now) {
      let soonest = Math.min(now + round, data.wakeAt(now), signals.wakeAt(now), habits.wakeAt());
      for (const { receiver } of lanes.values()) soonest = Math.min(soonest, receiver.wakeAt());
      return Math.max(now + 1, soonest);
    },
    end() {
      for (const key of [...lanes.keys()]) endLane(key);
      data.end();
      signals.end();
      const last = [...reports, ...data.takeReports(), ...signals.takeReports()];
      reports = [];
      return last;
    },
    counters: () => ({
      ...count,
      contracts: data.opened() + signals.opened(),
      unansweredPings: habits.unanswered(),
    }),
  };
}

function toKey({ forceStream, isCompanion, number }: Lane): string {
  return `${Number(forceStream)}${Number(isCompanion)}${number}`;
}
