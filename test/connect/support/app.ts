import { verifyContract } from '../../../src/connect/contract/verify.ts';
import { createMemoryBudget } from '../../../src/connect/sequence/hold-back.ts';
import { createReceiver, type Receiver } from '../../../src/connect/sequence/receiver.ts';
import type { Frame } from '../../../src/connect/wire/frame.ts';
import type { Id } from '../../../src/connect/wire/id.ts';
import { messageTypes } from '../../../src/connect/wire/message-types.ts';
import { countPackBytes, type Pack } from '../../../src/connect/wire/pack.ts';
import {
  decodeTransferFrame,
  encodeAckFrame,
  encodePackFrame,
} from '../../../src/connect/wire/transfer-frame.ts';
import { createAppLane } from './app-lane.ts';
import { createAppPings } from './app-pings.ts';
import type { Service } from './service.ts';

/** One identity of the network's app, in default or in direct mode. */
export interface App {
  readonly id: Id;
  send(packet: Buffer, now: number): boolean;
  frame(bytes: Buffer, now: number): void;
  step(now: number): readonly Buffer[];
  wakeAt(now: number): number;
  /** Its connections were cut, and it is not used any more. */
  isLost(): boolean;
  /** Sequences of its data lane. */
  sequences(): number;
  /** Packs of ours that no good contract paid for. */
  refused(): number;
  end(now: number): void;
}

export interface AppOptions {
  readonly id: Id;
  readonly providerId: Id;
  readonly service: Service;
  readonly streamSecret: Buffer;
  readonly isDirect: boolean;
  /** Pings go on at this pace whatever happens, in ms; the app's own are rarer, and end. */
  readonly steadyPings?: number | undefined;
  readonly newId: () => Id;
  readonly onPacket: (packet: Buffer, now: number) => void;
  readonly onLost: (now: number) => void;
}

const signalEvery = 15_000;
const mostOpen = 4;

export function createApp(options: AppOptions): App {
  const { id, providerId, service, newId, streamSecret } = options;
  service.publish(id, new Map([[4, streamSecret]]));
  const path = { sourceId: id, destinationId: providerId, streamId: undefined };
  let now = 0;
  let isLost = false;
  let refused = 0;
  let signalAt = Number.POSITIVE_INFINITY;

  const makeLane = (isCompanion: boolean) =>
    createAppLane({
      service,
      from: id,
      to: providerId,
      isCompanion,
      lane: { forceStream: false, isCompanion, number: 0 },
      newId,
      onError() {
        isLost = true;
      },
    });
  const data = makeLane(false);
  const signals = options.isDirect ? makeLane(true) : undefined;
  const lanes = signals === undefined ? [data] : [data, signals];

  let answers: { readonly receiver: Receiver; readonly end: () => void } | undefined;
  const keep = (frame: Frame): void => {
    if (frame.type !== messageTypes.ipPacketFromProvider) return;
    pings.flowed(frame.bytes.length, now);
    options.onPacket(frame.bytes, now);
  };
  const openAnswers = (sequenceId: Id): Receiver => {
    const open = new Map<Id, number>();
    let current: Id | undefined;
    const report = (contractId: Id, isCheckpoint: boolean): void => {
      const ackedByteCount = open.get(contractId) ?? 0;
      service.report(id, { contractId, ackedByteCount, unackedByteCount: 0, isCheckpoint }, now);
      open.delete(contractId);
    };
    const admit = (contract: Buffer): void => {
      const secrets = new Map([[4 as const, streamSecret]]);
      const verified = verifyContract(contract, providerId, { ownId: id, secrets, wish: 'stream' });
      if (verified.kind === 'refused' || open.has(verified.contractId)) return;
      current = verified.contractId;
      open.set(current, 0);
      const [oldest] = open.keys();
      if (open.size > mostOpen && oldest !== undefined) report(oldest, false);
    };
    const receiver = createReceiver({
      sequenceId,
      budget: createMemoryBudget(4 * 1024 * 1024),
      knowsContract: (one) => open.has(one),
      deliver(pack) {
        if (pack.contract !== undefined) admit(pack.contract);
        if (current === undefined) {
          refused++;
          return false;
        }
        const bytes = countPackBytes(pack.frames);
        open.set(current, (open.get(current) ?? 0) + bytes);
        service.noteCarried(current, bytes);
        for (const frame of pack.frames) keep(frame);
        return true;
      },
    });
    const end = () => {
      for (const one of [...open.keys()]) report(one, one === current);
    };
    answers = { receiver, end };
    return receiver;
  };
  const takePack = (pack: Pack): void => {
    const known = answers?.receiver;
    if (known !== undefined && pack.sequenceId < known.sequenceId) return;
    if (known !== undefined && pack.sequenceId > known.sequenceId) answers?.end();
    const isKnown = known?.sequenceId === pack.sequenceId;
    (isKnown ? known : openAnswers(pack.sequenceId)).take(pack, now);
  };

  const pings = createAppPings({
    steadyMs: options.steadyPings,
    answered: data.pingsAcked,
    send: (at) => {
      data.offer({ type: messageTypes.ipPing, bytes: Buffer.alloc(0), isRaw: true }, at);
    },
  });
  const talk = (): void => {
    pings.step(now);
    if (signals === undefined || now < signalAt) return;
    signals.offer({ type: messageTypes.signals, bytes: Buffer.alloc(40), isRaw: false }, now);
    signalAt = now + signalEvery;
  };

  return {
    id,
    send(packet, at) {
      now = at;
      pings.flowed(packet.length, at);
      const isFirst = signals !== undefined && signalAt === Number.POSITIVE_INFINITY;
      if (isFirst) signalAt = at + 1000;
      return data.offer({ type: messageTypes.ipPacketToProvider, bytes: packet, isRaw: true }, at);
    },
    frame(bytes, at) {
      now = at;
      const { path: of, body } = decodeTransferFrame(bytes);
      if (of.destinationId !== id || isLost) return;
      if (body.kind === 'ack') for (const lane of lanes) lane.take(body.ack, now);
      if (body.kind === 'pack') takePack(body.pack);
    },
    step(at) {
      now = at;
      if (isLost) return [];
      talk();
      const packs = lanes.flatMap((lane) => lane.step(now));
      if (isLost) options.onLost(now);
      return [
        ...(answers?.receiver.acks(now) ?? []).map((ack) => encodeAckFrame(path, ack)),
        ...packs.map((pack) => encodePackFrame(path, pack)),
      ];
    },
    wakeAt(at) {
      if (isLost) return Number.POSITIVE_INFINITY;
      const wakes = lanes.map((lane) => lane.wakeAt(at));
      const answersAt = answers?.receiver.wakeAt() ?? Number.POSITIVE_INFINITY;
      return Math.min(pings.wakeAt(), signalAt, answersAt, ...wakes);
    },
    isLost: () => isLost,
    sequences: data.sequences,
    refused: () => refused,
    end(at) {
      now = at;
      answers?.end();
      for (const lane of lanes) lane.end(now);
    },
  };
}
