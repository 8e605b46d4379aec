import { describe, expect, test } from 'vitest';
import {
  closeContract,
  contract as contractMessage,
  createContract,
  storedContract,
} from '../../../src/connect/wire/contract-messages.ts';
import { provide } from '../../../src/connect/wire/control-messages.ts';
import { decode, encode } from '../../../src/connect/wire/message.ts';
import { messageTypes } from '../../../src/connect/wire/message-types.ts';
import {
  decodeTransferFrame,
  encodeAckFrame,
  encodePackFrame,
} from '../../../src/connect/wire/transfer-frame.ts';
import vectors from './vectors.json' with { type: 'json' };

/**
 * The vectors were made by the network's own program; their values are plain to see in the bytes.
 */
const read = (name: keyof typeof vectors): Buffer => Buffer.from(vectors[name], 'hex');
const id = (first: number): string =>
  Array.from({ length: 16 }, (_, at) => String.fromCharCode(first + at)).join('');
const provider = id(0x40);
const consumer = id(0x20);

describe('what the network’s own program wrote', () => {
  test('a Pack with a packet, a contract and a lane is read and written back to the byte', () => {
    const { path, body } = decodeTransferFrame(read('transfer_frame_pack'));
    if (body.kind !== 'pack') throw new Error('not a Pack');
    expect(path).toEqual({ sourceId: consumer, destinationId: provider, streamId: undefined });
    expect(body.pack).toMatchObject({
      messageId: id(3),
      sequenceId: id(5),
      sequenceNumber: 7,
      isHead: true,
      wantsNoAck: false,
      tag: { sentAt: 1_790_000_000_123 },
      contractId: undefined,
      lane: { forceStream: false, isCompanion: true, number: 3 },
    });
    expect(body.pack.contract?.equals(read('contract'))).toBe(true);
    const [frame] = body.pack.frames;
    expect(frame).toMatchObject({ type: messageTypes.ipPacketToProvider, isRaw: true });
    expect(frame?.bytes.length).toBe(28);
    expect(encodePackFrame(path, body.pack)).toEqual(read('transfer_frame_pack'));
  });

  test('an Ack is read and written back to the byte', () => {
    const { path, body } = decodeTransferFrame(read('transfer_frame_ack'));
    if (body.kind !== 'ack') throw new Error('not an Ack');
    expect(body.ack).toEqual({
      messageId: id(3),
      sequenceId: id(5),
      isSelective: true,
      tag: { sentAt: 1_790_000_000_123 },
      missingContractId: undefined,
      recoversContracts: true,
      laneVersion: 1,
    });
    expect(encodeAckFrame(path, body.ack)).toEqual(read('transfer_frame_ack'));
  });

  test('a frame to the platform has no destination', () => {
    const { path, body } = decodeTransferFrame(read('to_control_provide'));
    if (body.kind !== 'pack') throw new Error('not a Pack');
    expect(path).toEqual({ sourceId: consumer, destinationId: undefined, streamId: undefined });
    const [frame] = body.pack.frames;
    expect(frame?.type).toBe(messageTypes.provide);
    expect(decode(provide, frame?.bytes as Buffer)).toEqual({
      keys: [{ mode: 3, secret: read('secret') }],
    });
    expect(encodePackFrame(path, body.pack)).toEqual(read('to_control_provide'));
  });

  test('contracts and their control messages are read and written back to the byte', () => {
    const contract = decode(contractMessage, read('contract'));
    expect(contract.storedBytes.equals(read('stored_contract'))).toBe(true);
    expect(contract.hmac.equals(read('hmac_standard'))).toBe(true);
    expect(contract.mode).toBe(3);
    expect(encode(contractMessage, contract)).toEqual(read('contract'));

    const stored = decode(storedContract, contract.storedBytes);
    expect(stored).toEqual({
      contractId: id(1),
      transferByteCount: 134_217_728,
      sourceId: consumer,
      destinationId: provider,
      priority: 1,
    });
    expect(encode(storedContract, stored)).toEqual(read('stored_contract'));

    const close = decode(closeContract, read('close_contract'));
    expect(close).toMatchObject({ contractId: id(1), isCheckpoint: true });
    expect(encode(closeContract, close)).toEqual(read('close_contract'));

    const request = decode(createContract, read('create_contract'));
    expect(request).toMatchObject({ destinationId: provider, isCompanion: true, streamVersion: 1 });
    expect(encode(createContract, request)).toEqual(read('create_contract'));
  });

  test('a Provide of nothing has no bytes', () => {
    expect(encode(provide, { keys: [] }).length).toBe(0);
    expect(decode(provide, Buffer.alloc(0))).toEqual({ keys: [] });
  });
});
