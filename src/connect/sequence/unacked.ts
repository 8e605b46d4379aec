import type { Frame } from '../wire/frame.ts';
import type { Id } from '../wire/id.ts';
import { countPackBytes, type Lane, type Pack } from '../wire/pack.ts';
import type { PaidBy } from './payment.ts';

/** A Pack that was sent and that no cumulative ack covers yet. */
export interface UnackedPack {
  readonly messageId: Id;
  readonly number: number;
  readonly frames: readonly Frame[];
  /** What it costs of its contract. */
  readonly bytes: number;
  readonly paidBy: PaidBy | undefined;
  /** When it was sent first: a sequence gives up by it. */
  readonly firstSentAt: number;
  /** When it was sent last; its tag. */
  sentAt: number;
  sendings: number;
  /** It says that nothing before it will come. */
  isHead: boolean;
  /** It carries its whole contract. */
  hasContract: boolean;
  /** When a selective ack said that it waits at the other end. */
  selectedAt: number | undefined;
}

type NewPack = Pick<UnackedPack, 'messageId' | 'number' | 'frames' | 'paidBy' | 'firstSentAt'>;

/** The Pack as it is sent now. */
export function toPack(
  pack: UnackedPack,
  of: { readonly sequenceId: Id; readonly lane: Lane },
): Pack {
  return {
    messageId: pack.messageId,
    sequenceId: of.sequenceId,
    sequenceNumber: pack.number,
    isHead: pack.isHead,
    frames: pack.frames,
    wantsNoAck: false,
    contract: pack.hasContract ? pack.paidBy?.contract : undefined,
    tag: { sentAt: pack.sentAt },
    contractId: undefined,
    lane: of.lane,
  };
}

/** Unacknowledged Packs by number, the lowest first. */
export interface UnackedPacks {
  /** Sends it for the first time: as the head, where nothing else is on its way. */
  add(pack: NewPack): UnackedPack;
  find(messageId: Id): UnackedPack | undefined;
  /** Takes out every Pack up to this number, the lowest first. */
  removeUpTo(number: number): readonly UnackedPack[];
  lowest(): UnackedPack | undefined;
  /** In order of their numbers, which is the order in which they were first sent. */
  all(): Iterable<UnackedPack>;
  count(): number;
  bytes(): number;
}

export function createUnackedPacks(): UnackedPacks {
  const byId = new Map<Id, UnackedPack>();
  let packs: UnackedPack[] = [];
  /** Packs before it are gone; the array is cut when they are many, not at each ack. */
  let first = 0;
  let bytes = 0;

  const cut = (): void => {
    if (first < 256 || first * 2 < packs.length) return;
    packs = packs.slice(first);
    first = 0;
  };

  return {
    add(of) {
      const isHead = first === packs.length;
      const pack: UnackedPack = {
        ...of,
        bytes: countPackBytes(of.frames),
        sentAt: of.firstSentAt,
        sendings: 1,
        isHead,
        // The Pack that opens a contract carries it, and so does each one at the head.
        hasContract: isHead || of.frames.length === 0,
        selectedAt: undefined,
      };
      packs.push(pack);
      byId.set(pack.messageId, pack);
      bytes += pack.bytes;
      return pack;
    },
    find: (messageId) => byId.get(messageId),
    removeUpTo(number) {
      const start = first;
      while (first < packs.length && (packs[first] as UnackedPack).number <= number) first++;
      const removed = packs.slice(start, first);
      for (const pack of removed) {
        byId.delete(pack.messageId);
        bytes -= pack.bytes;
      }
      cut();
      return removed;
    },
    lowest: () => packs[first],
    *all() {
      for (let at = first; at < packs.length; at++) yield packs[at] as UnackedPack;
    },
    count: () => packs.length - first,
    bytes: () => bytes,
  };
}
