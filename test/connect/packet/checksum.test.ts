import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { addWords, toChecksum } from '../../../src/connect/packet/checksum.ts';
import { assertLaw } from '../../unit/law.ts';

/** As RFC 1071 says it, one word after the other; an odd byte is followed by a zero. */
function sumSimply(start: number, bytes: Buffer): number {
  let sum = start;
  for (let at = 0; at < bytes.length; at += 2) sum += (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0);
  while (sum > 0xffff) sum = (sum % 65_536) + Math.floor(sum / 65_536);
  return 0xffff - sum;
}

test('a long part is summed as a short one is, wherever it begins and ends', () => {
  const parts = fc.tuple(
    fc.uint8Array({ minLength: 1500, maxLength: 1500 }),
    fc.nat(9),
    fc.integer({ min: 10, max: 1500 }),
    fc.nat(200_000),
  );
  assertLaw(parts, ([all, from, to, start]) => {
    const bytes = Buffer.from(all);
    const simply = sumSimply(start, bytes.subarray(from, to));
    expect(toChecksum(addWords(start, bytes, { from, to }))).toBe(simply);
  });
});

test('the largest words of the largest part are summed without loss', () => {
  const bytes = Buffer.alloc(65_535, 0xff);
  for (const to of [65_532, 65_533, 65_534, 65_535])
    expect(toChecksum(addWords(0, bytes, { from: 0, to }))).toBe(
      sumSimply(0, bytes.subarray(0, to)),
    );
});
