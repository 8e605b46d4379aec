import { expect, test } from 'vitest';
import {
  completeSecrets,
  loadSecrets,
  saveSecrets,
  toProvideKeys,
} from '../../../src/connect/contract/secrets.ts';
import { signContract, verifyContract } from '../../../src/connect/contract/verify.ts';
import { contract as contractMessage } from '../../../src/connect/wire/contract-messages.ts';
import type { Id } from '../../../src/connect/wire/id.ts';
import { encode } from '../../../src/connect/wire/message.ts';
import { makeContract, testIds } from '../support/contracts.ts';
import vectors from '../wire/vectors.json' with { type: 'json' };

const ids = testIds();
const ownId = ids.next(1);
const sourceId = ids.next(2);
const contractId = ids.next(3);
let count = 0;
const secrets = completeSecrets((length) => Buffer.alloc(length, ++count));
const secret = secrets.get(3) as Buffer;
const options = { ownId, secrets, wish: 'public' as const };
const good = { contractId, sourceId, destinationId: ownId, byteCount: 1000, secret, mode: 3 };

test('a contract of the network’s own program is signed as we sign', () => {
  const key = Buffer.from(vectors.secret, 'hex');
  const stored = Buffer.from(vectors.stored_contract, 'hex');
  expect(signContract(key, stored).toString('hex')).toBe(vectors.hmac_standard);
  const from = (first: number) =>
    String.fromCharCode(...Array.from({ length: 16 }, (_, at) => first + at)) as Id;
  const verified = verifyContract(Buffer.from(vectors.contract, 'hex'), from(0x20), {
    ownId: from(0x40),
    secrets: new Map([[3, key]]),
    wish: 'public',
  });
  expect(verified).toEqual({
    kind: 'verified',
    contractId: from(1),
    byteCount: 134_217_728,
    mode: 3,
  });
});

test('a good contract is verified', () => {
  expect(verifyContract(makeContract(good), sourceId, options)).toEqual({
    kind: 'verified',
    contractId,
    byteCount: 1000,
    mode: 3,
  });
});

const bytes = makeContract(good);
const flip = (at: number) => {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] as number) ^ 1;
  return changed;
};
const oldForm = encode(contractMessage, {
  storedBytes: Buffer.from(vectors.stored_contract, 'hex'),
  hmac: Buffer.from(vectors.hmac_old_form, 'hex'),
  mode: 3,
});

test.each([
  ['a changed byte count', flip(24), 'bad-signature'],
  ['a changed signature', flip(bytes.length - 5), 'bad-signature'],
  ['the old form of signature', oldForm, 'old-form'],
  ['another mode than signed for', flip(bytes.length - 1), 'bad-signature'],
  ['a mode that nobody knows', makeContract({ ...good, mode: 9 }), 'mode-not-published'],
  [
    'no signature',
    encode(contractMessage, { storedBytes: bytes, hmac: Buffer.alloc(0), mode: 3 }),
    'bad-signature',
  ],
  ['another source', makeContract({ ...good, sourceId: ownId }), 'foreign-source'],
  [
    'another destination',
    makeContract({ ...good, destinationId: sourceId }),
    'foreign-destination',
  ],
  [
    'more bytes than anybody is granted',
    makeContract({ ...good, byteCount: 2 ** 40 }),
    'oversized',
  ],
  ['bytes that are no message', Buffer.from('ff', 'hex'), 'unreadable'],
  ['a signed text that is no contract', makeSigned(Buffer.from('0801', 'hex')), 'unreadable'],
] as const)('%s is refused', (_, contract, reason) => {
  expect(verifyContract(contract, sourceId, options)).toEqual({ kind: 'refused', reason });
});

function makeSigned(storedBytes: Buffer): Buffer {
  return encode(contractMessage, { storedBytes, hmac: signContract(secret, storedBytes), mode: 3 });
}

test('only what is published is verified', () => {
  const wished = (wish: 'network' | 'none', mode: number) =>
    verifyContract(
      makeContract({ ...good, mode, secret: secrets.get(mode as 3) ?? secret }),
      sourceId,
      {
        ...options,
        wish,
      },
    ).kind;
  expect(wished('network', 3)).toBe('refused');
  expect(wished('network', 1)).toBe('verified');
  expect(wished('none', 1)).toBe('refused');
});

test('secrets are kept, and made once', () => {
  const again = completeSecrets(() => Buffer.alloc(32, 7), loadSecrets(saveSecrets(secrets)));
  expect(again).toEqual(secrets);
  expect(toProvideKeys(secrets, 'network').map(({ mode }) => mode)).toEqual([1, 4]);
  expect(toProvideKeys(secrets, 'none')).toEqual([]);
  expect(loadSecrets({ 3: 'ab', 77: '00'.repeat(32) }).size).toBe(0);
});
