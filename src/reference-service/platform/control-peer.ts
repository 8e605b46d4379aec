import { createMemoryBudget } from '../../connect/sequence/hold-back.ts';
import { createReceiver, type Receiver } from '../../connect/sequence/receiver.ts';
import type { Ack } from '../../connect/wire/ack.ts';
import type { Frame } from '../../connect/wire/frame.ts';
import type { Id } from '../../connect/wire/id.ts';
import type { Pack } from '../../connect/wire/pack.ts';
import type { TransferFrame } from '../../connect/wire/transfer-frame.ts';

/**
 * The platform's own end of the talk with one resident: what the client sends to it in band, and
 * what it tells the client. What is told is sent again until it is acknowledged, for a while. Times
 * are in ms of our own clock.
 */
export interface ControlPeer {
  take(body: TransferFrame['body'], now: number): void;
  tell(frame: Frame, now: number): void;
  /** What is to be sent now. */
  step(now: number): { readonly packs: readonly Pack[]; readonly acks: readonly Ack[] };
  end(): void;
}

export interface ControlPeerOptions {
  readonly newId: () => Id;
  readonly onFrame: (frame: Frame) => void;
}

const resendEvery = 1000;
const mostSendings = 10;
const budgetBytes = 256 * 1024;

interface Told {
  pack: Pack;
  dueAt: number;
  sendings: number;
}

export function createControlPeer({ newId, onFrame }: ControlPeerOptions): ControlPeer {
  const sequenceId = newId();
  let nextNumber = 0;
  let told: Told[] = [];
  const budget = createMemoryBudget(budgetBytes);
  let receiver: Receiver | undefined;

  /** The newest sequence of the client is heard; what an older one still sends is dropped. */
  function find(of: Id): Receiver | undefined {
    if (receiver !== undefined && of <= receiver.sequenceId)
      return of === receiver.sequenceId ? receiver : undefined;
    receiver?.end();
    receiver = createReceiver({
      sequenceId: of,
      budget,
      knowsContract: () => true,
      deliver(pack) {
        for (const frame of pack.frames) onFrame(frame);
        return true;
      },
    });
    return receiver;
  }

  function takeAck(ack: Ack): void {
    if (ack.sequenceId !== sequenceId || ack.missingContractId !== undefined) return;
    const acked = told.find(({ pack }) => pack.messageId === ack.messageId);
    if (acked === undefined || ack.isSelective) return;
    told = told.filter(({ pack }) => pack.sequenceNumber > acked.pack.sequenceNumber);
  }

  return {
    take(body, now) {
      if (body.kind === 'pack') find(body.pack.sequenceId)?.take(body.pack, now);
      else if (body.kind === 'ack') takeAck(body.ack);
    },
    tell(frame, now) {
      const pack: Pack = {
        messageId: newId(),
        sequenceId,
        sequenceNumber: nextNumber++,
        isHead: told.length === 0,
        frames: [frame],
        wantsNoAck: false,
        contract: undefined,
        tag: undefined,
        contractId: undefined,
        lane: { forceStream: false, isCompanion: false, number: 0 },
      };
      told.push({ pack, dueAt: now, sendings: 0 });
    },
    step(now) {
      // What was sent so often in vain is given up a resend later.
      told = told.filter(({ sendings, dueAt }) => sendings < mostSendings || dueAt > now);
      const due = told.filter(({ dueAt }) => dueAt <= now);
      const packs = due.map((one, index) => {
        one.sendings++;
        one.dueAt = now + resendEvery;
        const isHead = one.pack.isHead || (index === 0 && one === told[0]);
        return { ...one.pack, isHead, tag: { sentAt: now } };
      });
      return { packs, acks: receiver?.acks(now) ?? [] };
    },
    end: () => receiver?.end(),
  };
}
