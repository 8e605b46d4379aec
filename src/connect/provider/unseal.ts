import type { Id } from '../wire/id.ts';
import {
  decodeTransferFrame,
  type SealedBody,
  type TransferFrame,
} from '../wire/transfer-frame.ts';
import { WireError } from '../wire/wire-error.ts';

/**
 * Reads a binary message; of one that is sealed, the frame inside.
 * @throws WireError for what is no frame, and where it cannot be opened
 */
export function unseal(
  message: Buffer,
  open: (sourceId: Id, sealed: SealedBody) => Buffer | undefined,
): TransferFrame {
  const outer = decodeTransferFrame(message);
  const { body, path } = outer;
  if (body.kind !== 'sealed') return outer;
  const bytes = path.sourceId === undefined ? undefined : open(path.sourceId, body);
  if (bytes === undefined) throw new WireError('a sealed frame that no key opens');
  const inner = decodeTransferFrame(bytes);
  const isSame =
    inner.path.sourceId === path.sourceId &&
    inner.path.destinationId === path.destinationId &&
    inner.path.streamId === path.streamId;
  // Otherwise what was said to us could be shown to another client.
  if (!isSame) throw new WireError('a sealed frame with another path inside');
  if (inner.body.kind !== 'pack') return inner;
  return { path, body: { kind: 'pack', pack: { ...inner.body.pack, cameSealed: true } } };
}
