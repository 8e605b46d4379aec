import type { Encoder } from './encoder.ts';
import type { Id } from './id.ts';
import type { Scanner } from './scanner.ts';
import { scanTag, writeTag } from './tag.ts';
import { WireError } from './wire-error.ts';

/** What a receiver says of a sequence. */
export interface Ack {
  /** The highest Pack that was delivered, and all before it; or one Pack that waits (selective). */
  readonly messageId: Id;
  readonly sequenceId: Id;
  readonly isSelective: boolean;
  /** The Pack's tag; absent where the Pack had been delivered before. */
  readonly tag: number | undefined;
  /** "Send this Pack again with its whole contract": then it acknowledges nothing. */
  readonly missingContractId: Id | undefined;
  readonly recoversContracts: boolean;
  /** 1 where lanes above 0 are understood. */
  readonly laneVersion: number;
}

export function scanAck(scanner: Scanner): Ack {
  const found = {
    messageId: undefined as Id | undefined,
    sequenceId: undefined as Id | undefined,
    isSelective: false,
    tag: undefined as number | undefined,
    missingContractId: undefined as Id | undefined,
    recoversContracts: false,
    laneVersion: 0,
  };
  while (scanner.next()) {
    switch (scanner.field) {
      case 1:
        found.messageId = scanner.id();
        break;
      case 2:
        found.sequenceId = scanner.id();
        break;
      case 3:
        found.isSelective = scanner.flag();
        break;
      case 4:
        found.tag = scanTag(scanner.inner());
        break;
      case 5:
        found.missingContractId = scanner.id();
        break;
      case 6:
        found.recoversContracts = scanner.flag();
        break;
      case 7:
        found.laneVersion = scanner.integer();
        break;
    }
  }
  const { messageId, sequenceId } = found;
  if (messageId === undefined || sequenceId === undefined)
    throw new WireError('an Ack without its ids');
  return { ...found, messageId, sequenceId };
}

export function writeAck(encoder: Encoder, field: number, ack: Ack): void {
  const end = encoder.mark();
  encoder.integer(7, ack.laneVersion);
  encoder.integer(6, Number(ack.recoversContracts));
  encoder.id(5, ack.missingContractId);
  writeTag(encoder, 4, ack.tag);
  encoder.integer(3, Number(ack.isSelective));
  encoder.id(2, ack.sequenceId);
  encoder.id(1, ack.messageId);
  encoder.wrap(field, end);
}
