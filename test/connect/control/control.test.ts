import { expect, test } from 'vitest';
import {
  createControlClient,
  type PostAnswer,
} from '../../../src/connect/control/control-client.ts';
import {
  closeContract,
  createContract,
  createContractResult,
} from '../../../src/connect/wire/contract-messages.ts';
import { provide } from '../../../src/connect/wire/control-messages.ts';
import {
  decodeFrames,
  encodeFrames,
  type Frame,
  toFrame,
} from '../../../src/connect/wire/frame.ts';
import { decode, encode } from '../../../src/connect/wire/message.ts';
import { messageTypes } from '../../../src/connect/wire/message-types.ts';
import { testIds } from '../support/contracts.ts';

const { signal } = new AbortController();
const ids = testIds();
const destinationId = ids.next(1);
const contractId = ids.next(2);
const request = {
  destinationId,
  transferByteCount: 5,
  isCompanion: true,
  usedContractIds: [],
  forceStream: false,
  streamVersion: 1,
};

/** A platform that answers with these frames and this error, and what it was asked. */
function control(frames: readonly Frame[], error: string | null = null) {
  const asked: Frame[] = [];
  const client = createControlClient(async (body) => {
    asked.push(...decodeFrames(Buffer.from(JSON.parse(body).pack, 'base64')));
    const pack = encodeFrames(frames).toString('base64');
    const text = JSON.stringify({ pack, error: error === null ? null : { message: error } });
    return { kind: 'answered', status: 200, text };
  });
  return { client, asked };
}

const result = (value: { readonly error?: number; readonly contract?: Buffer }) =>
  toFrame(
    messageTypes.createContractResult,
    encode(createContractResult, { error: undefined, contract: undefined, request, ...value }),
  );

test('a contract is asked for, and is granted or refused', async () => {
  const granted = control([result({ contract: Buffer.from('contract') })]);
  expect(await granted.client.createContract(request, signal)).toEqual({
    kind: 'granted',
    contract: Buffer.from('contract'),
  });
  expect(granted.asked.map(({ type }) => type)).toEqual([messageTypes.createContract]);
  expect(decode(createContract, granted.asked[0]?.bytes as Buffer)).toEqual(request);
  const refused = control([result({ error: 0 })]);
  expect(await refused.client.createContract(request, signal)).toEqual({
    kind: 'refused',
    error: 0,
  });
  expect(await control([]).client.createContract(request, signal)).toMatchObject({
    reason: 'unknown',
  });
});

test('secrets and reports are sent whole', async () => {
  const { client, asked } = control([]);
  const keys = [{ mode: 3, secret: Buffer.alloc(32, 1) }];
  expect(await client.provide(keys, signal)).toEqual({ kind: 'done' });
  const close = { contractId, ackedByteCount: 9, unackedByteCount: 0, isCheckpoint: true };
  expect(await client.report([close, close], signal)).toEqual({ kind: 'done' });
  expect(decode(provide, asked[0]?.bytes as Buffer)).toEqual({ keys });
  expect(asked.slice(1).map(({ bytes }) => decode(closeContract, bytes))).toEqual([close, close]);
});

test.each([
  ['Contract already closed with outcome settled', { kind: 'done' }],
  ['Contract not found.', { kind: 'done' }],
  ['Contract not found.; The contract is in dispute', { kind: 'done' }],
  ['database is away', { kind: 'failed', reason: 'unknown', message: 'database is away' }],
  ['Contract not found.\ndatabase is away', { kind: 'failed', reason: 'unknown' }],
  ['database is away; The client is not a party of the contract', { kind: 'failed' }],
])('a report that is answered by "%s"', async (message, outcome) => {
  const close = { contractId, ackedByteCount: 1, unackedByteCount: 0, isCheckpoint: false };
  expect(await control([], message).client.report([close], signal)).toMatchObject(outcome);
});

test.each<readonly [string, PostAnswer, string]>([
  ['nobody there', { kind: 'not-sent', message: 'refused' }, 'not-sent'],
  ['an answer that is lost', { kind: 'lost', message: 'reset' }, 'unknown'],
  ['a token that is refused', { kind: 'answered', status: 401, text: '' }, 'unauthorized'],
  ['a request that is refused', { kind: 'answered', status: 400, text: '' }, 'refused'],
  ['one that comes too soon', { kind: 'answered', status: 429, text: '' }, 'not-sent'],
  ['a fault of the service', { kind: 'answered', status: 502, text: '' }, 'unknown'],
  ['no JSON', { kind: 'answered', status: 200, text: '<html>' }, 'unknown'],
  ['JSON that is no object', { kind: 'answered', status: 200, text: 'null' }, 'unknown'],
  [
    'a Pack that cannot be read',
    { kind: 'answered', status: 200, text: '{"pack":"/w=="}' },
    'unknown',
  ],
])('%s is a failure with its reason', async (_, answer, reason) => {
  const client = createControlClient(async () => answer);
  expect(await client.createContract(request, signal)).toMatchObject({ kind: 'failed', reason });
  expect(await client.provide([], signal)).toMatchObject({ kind: 'failed', reason });
});

test('a post that throws may have been carried out', async () => {
  const client = createControlClient(async () => {
    throw new Error('reset');
  });
  expect(await client.provide([], signal)).toMatchObject({ reason: 'unknown', message: 'reset' });
});
