import { isClientHello } from '../sealed/epoch.ts';
import { sealedLimits } from '../sealed/limits.ts';
import {
  controlKinds,
  type EncryptedControl,
  encryptedControl,
} from '../wire/encrypted-control.ts';
import type { Frame } from '../wire/frame.ts';
import { decode } from '../wire/message.ts';
import { messageTypes } from '../wire/message-types.ts';
import type { Pack } from '../wire/pack.ts';
import { WireError } from '../wire/wire-error.ts';

export function isControl(frames: readonly Frame[]): boolean {
  return frames.some(({ type }) => type === messageTypes.encryptedControl);
}

/** It carries in plaintext what a consumer that seals would have sealed. */
export function isPlainData({ frames, cameSealed }: Pack): boolean {
  const { encryptedControl: control } = messageTypes;
  return cameSealed === undefined && frames.some(({ type }) => type !== control);
}

/** So many bytes and no more: a control is a small part of a Pack. */
export function readControl(bytes: Buffer): EncryptedControl | undefined {
  if (bytes.length > 2 * sealedLimits.controlBytes) return undefined;
  try {
    return decode(encryptedControl, bytes);
  } catch (error) {
    // It is acknowledged all the same: sent again, it would say no more.
    if (error instanceof WireError) return undefined;
    throw error;
  }
}

/**
 * Of a handshake without a name nobody knows to which one it belongs but by its place. A nack and
 * the beginning of a handshake belong to none.
 */
export function waitsForItsTurn({ frames }: Pack): boolean {
  return frames.some(({ type, bytes }) => {
    const control = type === messageTypes.encryptedControl ? readControl(bytes) : undefined;
    if (control === undefined || control.epochId !== undefined) return false;
    if (control.kind === controlKinds.nack) return false;
    return !(control.kind === controlKinds.handshake && isClientHello(control.payload));
  });
}
