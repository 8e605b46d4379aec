import type { Ack } from '../../connect/wire/ack.ts';
import { sessionRoles } from '../../connect/wire/encrypted-control.ts';
import { messageTypes } from '../../connect/wire/message-types.ts';
import type { Pack } from '../../connect/wire/pack.ts';
import {
  encodeAckFrame,
  encodePackFrame,
  encodeSealedFrame,
  type TransferPath,
} from '../../connect/wire/transfer-frame.ts';
import type { ConsumerSealing } from './sealing.ts';

/** Messages for the platform; sealed where there is a key, but for controls of a handshake. */
export function createFrameWriter(
  path: TransferPath,
  sealing: Pick<ConsumerSealing, 'seal'> | undefined,
): (acks: readonly Ack[], packs: readonly Pack[]) => readonly Buffer[] {
  const seal = (frame: Buffer): Buffer => {
    const bytes = sealing?.seal(frame);
    const of = { role: sessionRoles.client, isCompanion: false };
    return bytes === undefined ? frame : encodeSealedFrame(path, { bytes, ...of });
  };
  const writePack = (pack: Pack): Buffer => {
    const isControl = pack.frames.some(({ type }) => type === messageTypes.encryptedControl);
    const frame = encodePackFrame(path, pack);
    return isControl ? frame : seal(frame);
  };
  return (acks, packs) => [
    ...acks.map((ack) => seal(encodeAckFrame(path, ack))),
    ...packs.map(writePack),
  ];
}
