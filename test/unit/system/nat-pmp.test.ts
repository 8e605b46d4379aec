import { isIPv4 } from 'node:net';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  askRouterForAddress,
  decodeNatPmpAnswer,
  decodePcpAnswer,
  encodePcpRequest,
} from '../../../src/system/nat-pmp.ts';
import { assertLaw } from '../law.ts';
import { chooseLoopback, startResponder } from './fake-router.ts';

const { signal } = new AbortController();
const bytes = (...values: readonly number[]) => Buffer.from(values);
const told = bytes(0, 128, 0, 0, 0, 0, 0, 9, 45, 83, 100, 7);
const unknownVersion = bytes(2, 128, 0, 1, 0, 0, 0, 0);

/** A router that speaks PCP alone. */
function answerPcp(question: Buffer, result = 0): Buffer {
  if (question[0] === 0) return unknownVersion;
  const answer = Buffer.from(question);
  answer[1] = 129;
  answer[3] = result;
  answer.set(bytes(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 45, 83, 100, 7), 44);
  return answer;
}

describe('an answer of NAT-PMP', () => {
  test.each([
    ['with an address', told, { address: '45.83.100.7' }],
    ['with more behind it', Buffer.concat([told, told]), { address: '45.83.100.7' }],
    ['that refuses', bytes(0, 128, 0, 2, 0, 0, 0, 9), { address: undefined }],
    ['cut short', told.subarray(0, 11), { address: undefined }],
    ['of another version', unknownVersion, 'speaks-pcp'],
    ['to another question', bytes(0, 129, 0, 0, 0, 0, 0, 9, 1, 2, 3, 4), undefined],
    ['that is our own question', bytes(0, 0), undefined],
    ['of nothing', bytes(), undefined],
  ])('%s', (_claim, answer, expected) => {
    expect(decodeNatPmpAnswer(answer)).toEqual(expected);
  });
});

describe('an answer of PCP', () => {
  const nonce = Buffer.alloc(12, 7);
  const request = encodePcpRequest({ nonce, address: '192.168.1.10', port: 40_000, seconds: 120 });

  test('is asked for the port that asks, from the address that asks', () => {
    expect(request.toString('hex')).toBe(
      `02010000${'00000078'}${'00000000000000000000ffffc0a8010a'}${'07'.repeat(12)}1100000${'09c400000'}${'00000000000000000000ffff00000000'}`,
    );
  });

  test.each([
    ['with an address', answerPcp(request), { address: '45.83.100.7' }],
    ['that refuses', answerPcp(request, 2), { address: undefined }],
    ['that refuses shortly', bytes(2, 129, 0, 1), { address: undefined }],
    [
      'to somebody else',
      answerPcp(
        encodePcpRequest({ nonce: Buffer.alloc(12), address: '1.1.1.1', port: 1, seconds: 1 }),
      ),
      undefined,
    ],
    ['cut short', answerPcp(request).subarray(0, 59), undefined],
    ['with an IPv6 address', answerPcp(request).fill(0x20, 44, 60), { address: undefined }],
    ['that is our own question', request, undefined],
  ])('%s', (_claim, answer, expected) => {
    expect(decodePcpAnswer(answer, nonce)).toEqual(expected);
  });
});

test('no bytes at all make more than one IPv4 address', () => {
  const header = fc.constantFrom(bytes(0, 128, 0, 0), bytes(2, 129, 0, 0), bytes());
  const hostile = fc
    .tuple(header, fc.uint8Array({ maxLength: 80 }))
    .map(([head, rest]) => Buffer.concat([head, rest]));
  assertLaw(hostile, (answer) => {
    for (const read of [
      decodeNatPmpAnswer(answer),
      decodePcpAnswer(answer, answer.subarray(24, 36)),
    ]) {
      if (typeof read === 'object' && read.address !== undefined)
        expect(isIPv4(read.address)).toBe(true);
    }
  });
});

describe('a router', () => {
  test('that tells its address is asked once', async () => {
    const router = await startResponder(5351, () => told);
    expect(await askRouterForAddress(router.address, signal)).toBe('45.83.100.7');
    expect(router.asked).toEqual([bytes(0, 0)]);
  });

  test('that speaks PCP alone is given its mapping back', async () => {
    const router = await startResponder(5351, (question) => answerPcp(question));
    expect(await askRouterForAddress(router.address, signal)).toBe('45.83.100.7');
    const [, mapped, returned] = router.asked;
    expect([mapped?.readUInt32BE(4), returned?.readUInt32BE(4)]).toEqual([120, 0]);
    // One nonce, protocol and port name one mapping.
    expect(returned?.subarray(8)).toEqual(mapped?.subarray(8));
  });

  test('that answers rubbish first is listened to on', async () => {
    let answers = 0;
    const router = await startResponder(5351, () => {
      answers += 1;
      return answers === 1 ? bytes(9, 9, 9) : told;
    });
    expect(await askRouterForAddress(router.address, signal)).toBe('45.83.100.7');
  });

  test('that is silent tells nothing; one that is not there, at once', async () => {
    const router = await startResponder(5351, () => undefined);
    expect(await askRouterForAddress(router.address, signal)).toBeUndefined();
    expect(router.asked).toHaveLength(3);
    expect(await askRouterForAddress(chooseLoopback(), signal)).toBeUndefined();
  });

  test('is not waited for when the agent stops', async () => {
    const router = await startResponder(5351, () => undefined);
    const stop = new AbortController();
    const asking = askRouterForAddress(router.address, stop.signal);
    stop.abort();
    expect(await asking).toBeUndefined();
    // The second of three questions would be asked after a quarter of a second.
    expect(router.asked.length).toBeLessThan(2);
  });
});
