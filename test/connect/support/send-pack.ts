import type { Id, IdSource } from '../../../src/connect/wire/id.ts';
import type { Pack } from '../../../src/connect/wire/pack.ts';
import { encodePackFrame } from '../../../src/connect/wire/transfer-frame.ts';

/** Who sends a Pack, to whom, and when; it gets ids of its own. */
export interface Sending {
  readonly sourceId: Id | undefined;
  readonly destinationId: Id;
  readonly ids: IdSource;
  readonly at: number;
}

/** The first Pack of a new sequence as a binary message, but for what `pack` says otherwise. */
export function sendPack(
  { sourceId, destinationId, ids, at }: Sending,
  pack: Partial<Pack> & Pick<Pack, 'frames'>,
): Buffer {
  return encodePackFrame(
    { sourceId, destinationId, streamId: undefined },
    {
      messageId: ids.next(at),
      sequenceId: ids.next(at),
      sequenceNumber: 0,
      isHead: true,
      wantsNoAck: false,
      contract: undefined,
      tag: { sentAt: at },
      contractId: undefined,
      lane: { forceStream: false, isCompanion: false, number: 0 },
      ...pack,
    },
  );
}
