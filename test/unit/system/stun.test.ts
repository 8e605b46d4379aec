import { isIPv4 } from 'node:net';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { askStunServer, decodeStunAnswer } from '../../../src/system/stun.ts';
import { assertLaw } from '../law.ts';
import { startResponder } from './fake-router.ts';

const transaction = Buffer.from('b7e7a701bc34d686fa87dfae', 'hex');
const cookie = '2112a442';
// RFC 5769, 2.2: 192.0.2.1, port 32853.
const xorMapped = '002000080001a147e112a643';
const mapped = '000100080001805501020304';

function answer(
  attributes: string,
  change: { readonly type?: string; readonly id?: Buffer } = {},
): Buffer {
  const length = (attributes.length / 2).toString(16).padStart(4, '0');
  return Buffer.from(
    `${change.type ?? '0101'}${length}${cookie}${(change.id ?? transaction).toString('hex')}${attributes}`,
    'hex',
  );
}

describe('an answer of STUN', () => {
  test.each([
    ['with an address', answer(xorMapped), '192.0.2.1'],
    ['of an old server', answer(mapped), '1.2.3.4'],
    ['with both', answer(mapped + xorMapped), '192.0.2.1'],
    ['behind another attribute, padded', answer(`80220003616263${'00'}${xorMapped}`), '192.0.2.1'],
    ['with an IPv6 address', answer(`00200014000200${'00'.repeat(17)}`), undefined],
    ['that is an error', answer(xorMapped, { type: '0111' }), undefined],
    ['to somebody else', answer(xorMapped, { id: Buffer.alloc(12) }), undefined],
    ['that is longer than it says', Buffer.concat([answer(xorMapped), Buffer.alloc(4)]), undefined],
    ['with an attribute that runs over its end', answer('0020ffff0001a147'), undefined],
    ['of nothing', Buffer.alloc(0), undefined],
  ])('%s', (_claim, bytes, expected) => {
    expect(decodeStunAnswer(bytes, transaction)).toBe(expected);
  });

  test('is never anything but an IPv4 address, whatever the attributes are', () => {
    assertLaw(fc.uint8Array({ maxLength: 120 }), (attributes) => {
      const read = decodeStunAnswer(answer(Buffer.from(attributes).toString('hex')), transaction);
      if (read !== undefined) expect(isIPv4(read)).toBe(true);
    });
  });
});

test('a STUN server is asked for a binding', async () => {
  const server = await startResponder(0, (question) =>
    answer(xorMapped, { id: question.subarray(8, 20) }),
  );
  const { signal } = new AbortController();
  expect(await askStunServer({ host: server.address, port: server.port }, signal)).toBe(
    '192.0.2.1',
  );
  expect(server.asked[0]?.subarray(0, 8).toString('hex')).toBe(`00010000${cookie}`);
});
