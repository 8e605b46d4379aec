import { verifyContract } from '../../../src/connect/contract/verify.ts';
import { createMemoryBudget } from '../../../src/connect/sequence/hold-back.ts';
import type { PaidBy, Payment } from '../../../src/connect/sequence/payment.ts';
import { createReceiver, type Receiver } from '../../../src/connect/sequence/receiver.ts';
import { createSender, type Sender } from '../../../src/connect/sequence/sender.ts';
import type { Frame } from '../../../src/connect/wire/frame.ts';
import type { Id } from '../../../src/connect/wire/id.ts';
import { messageTypes } from '../../../src/connect/wire/message-types.ts';
import { countPackBytes, type Pack } from '../../../src/connect/wire/pack.ts';
import { Scanner } from '../../../src/connect/wire/scanner.ts';
import {
  decodeTransferFrame,
  encodeAckFrame,
  encodePackFrame,
} from '../../../src/connect/wire/transfer-frame.ts';

/** A consumer as the network's apps are: packets out by a plain contract, answers by companions. */
export interface TestConsumer {
  readonly id: Id;
  /** By which contracts to it are signed. */
  streamSecret(): Buffer;
  /** Packets of answers and contents of pings, in order. */
  readonly received: readonly Buffer[];
  readonly pongs: readonly Buffer[];
  /** Bytes of each contract, as this end counts them. */
  readonly sent: ReadonlyMap<Id, number>;
  readonly got: ReadonlyMap<Id, number>;
  /** Packs that no contract of ours paid for. */
  unpaid(): number;
  send(packet: Buffer, now: number): boolean;
  ping(content: Buffer, now: number): void;
  /** Begins again, with another secret, as an app that was started again. */
  restart(secret: Buffer): void;
  frame: (bytes: Buffer, now: number) => void;
  step: (now: number) => readonly Buffer[];
  wakeAt(now: number): number;
  sender(): Sender;
}

export interface TestConsumerOptions {
  readonly id: Id;
  readonly providerId: Id;
  readonly streamSecret: Buffer;
  readonly newContract: () => PaidBy & { readonly usable: number };
  readonly newId: () => Id;
  /** Takes the controls of encryption. */
  readonly onControl?: (bytes: Buffer) => void;
}

export function createTestConsumer(options: TestConsumerOptions): TestConsumer {
  const { id, providerId, newId } = options;
  const received: Buffer[] = [];
  const pongs: Buffer[] = [];
  const sent = new Map<Id, number>();
  const got = new Map<Id, number>();
  const add = (to: Map<Id, number>, key: Id, bytes: number) =>
    to.set(key, (to.get(key) ?? 0) + bytes);
  let { streamSecret } = options;
  let unpaid = 0;
  let sender = makeSender();
  /** By the role that the provider says: sequences of another role go on beside each other. */
  const receivers = new Map<number, Receiver>();

  function makeSender(): Sender {
    let current: (PaidBy & { readonly usable: number }) | undefined;
    let taken = 0;
    const payment: Payment = {
      take(bytes) {
        if (current !== undefined && taken + bytes <= current.usable) {
          taken += bytes;
          return { kind: 'charged', by: current };
        }
        current = options.newContract();
        taken = 1;
        return { kind: 'opens', by: current };
      },
      contractLength: () => current?.contract.length ?? 0,
      acked: (by, bytes) => {
        add(sent, by.contractId, bytes);
      },
    };
    return createSender({
      sequenceId: newId(),
      lane: { forceStream: false, isCompanion: false, number: 0 },
      payment,
      newMessageId: newId,
      queueBytes: 16 * 1024 * 1024,
      budget: createMemoryBudget(32 * 1024 * 1024),
    });
  }

  const keep = (frame: Frame): void => {
    if (frame.type === messageTypes.ipPacketFromProvider) received.push(Buffer.from(frame.bytes));
    if (frame.type === messageTypes.ipPing) pongs.push(Buffer.from(frame.bytes));
    if (frame.type === messageTypes.encryptedControl) options.onControl?.(Buffer.from(frame.bytes));
  };
  const takePack = (pack: Pack, role: number, now: number): void => {
    let receiver = receivers.get(role);
    if (receiver !== undefined && pack.sequenceId < receiver.sequenceId) return;
    if (receiver === undefined || pack.sequenceId > receiver.sequenceId) {
      const state = { current: undefined as Id | undefined };
      receiver = createReceiver({
        sequenceId: pack.sequenceId,
        budget: createMemoryBudget(4 * 1024 * 1024),
        knowsContract: () => true,
        deliver(inTurn) {
          state.current = findContract(inTurn) ?? state.current;
          if (state.current === undefined) {
            unpaid++;
            return false;
          }
          add(got, state.current, countPackBytes(inTurn.frames));
          for (const frame of inTurn.frames) keep(frame);
          return true;
        },
      });
      receivers.set(role, receiver);
    }
    receiver.take(pack, now);
  };
  /** Companions are signed with our Stream secret. */
  const findContract = ({ contract }: Pack): Id | undefined => {
    if (contract === undefined) return undefined;
    const secrets = new Map([[4 as const, streamSecret]]);
    const verified = verifyContract(contract, providerId, { ownId: id, secrets, wish: 'stream' });
    return verified.kind === 'verified' ? verified.contractId : undefined;
  };

  const path = { sourceId: id, destinationId: providerId, streamId: undefined };
  return {
    id,
    streamSecret: () => streamSecret,
    received,
    pongs,
    sent,
    got,
    unpaid: () => unpaid,
    sender: () => sender,
    send: (packet, now) =>
      sender.offer({ type: messageTypes.ipPacketToProvider, bytes: packet, isRaw: true }, now),
    ping(content, now) {
      sender.offer({ type: messageTypes.ipPing, bytes: content, isRaw: true }, now);
    },
    restart(secret) {
      streamSecret = secret;
      sender = makeSender();
      receivers.clear();
    },
    frame(bytes, now) {
      const { path: of, body } = decodeTransferFrame(bytes);
      if (of.destinationId !== id) return;
      if (body.kind === 'ack') sender.take(body.ack, now);
      if (body.kind === 'pack') takePack(body.pack, readRole(bytes), now);
    },
    step: (now) => [
      ...[...receivers.values()]
        .flatMap((receiver) => receiver.acks(now))
        .map((ack) => encodeAckFrame(path, ack)),
      ...sender.step(now, 1000).map((pack) => encodePackFrame(path, pack)),
    ],
    wakeAt(now) {
      if (sender.ended(now) !== undefined) sender = makeSender();
      for (const [role, receiver] of receivers)
        if (receiver.ended(now) !== undefined) receivers.delete(role);
      const next = [...receivers.values()].map((receiver) => receiver.wakeAt());
      return Math.min(...next, sender.wakeAt(now));
    },
  };
}

/** The sender's role in a session of encryption; 0 outside of one. */
function readRole(bytes: Buffer): number {
  const scanner = new Scanner(bytes);
  while (scanner.next()) if (scanner.field === 7) return scanner.integer();
  return 0;
}
