import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parsePrefix, toGroups, toNetworks } from '../../../src/lib/addresses.ts';
import {
  mergeIpv6Prefixes,
  packIpv6Prefix,
  toIpv6Text,
} from '../../../src/system/ipv6-prefixes.ts';

function merge(texts: readonly string[]): readonly string[] {
  const prefixes = texts.flatMap((text) => parsePrefix(text) ?? []);
  return mergeIpv6Prefixes(prefixes.map(packIpv6Prefix)).map(toIpv6Text);
}

/** Prefixes differ in so many bits only, so that the ones of one list meet. */
const bits = 5;

/** The prefix with `value` behind `from` equal bits, of which the first `length` bits count. */
function toText(value: number, from: number, length: number): string {
  const number = (0xfedc_ba98n << 96n) | (BigInt(value) << BigInt(128 - from - bits));
  const groups = Array.from(
    { length: 8 },
    (_, index) => (number >> BigInt(112 - 16 * index)) & 0xffffn,
  );
  return `${groups.map((group) => group.toString(16)).join(':')}/${length}`;
}

/** The fewest prefixes over these values, found by halving the whole. */
function findFewest(values: ReadonlySet<number>, from: number, first = 0, depth = 0): string[] {
  const size = 2 ** (bits - depth);
  const covered = Array.from({ length: size }, (_, index) => values.has(first + index));
  if (covered.every((isCovered) => isCovered)) return [toText(first, from, from + depth)];
  if (!covered.some((isCovered) => isCovered)) return [];
  return [first, first + size / 2].flatMap((half) => findFewest(values, from, half, depth + 1));
}

test('merged prefixes are the fewest that cover just what the given ones do', () => {
  const prefix = fc.record({ value: fc.nat(2 ** bits - 1), length: fc.nat(bits) });
  // In the midst of a group of 16 bits, over the border of two, and at the end of the address.
  const from = fc.constantFrom(34, 45, 59, 128 - bits);
  fc.assert(
    fc.property(fc.array(prefix, { maxLength: 24 }), from, (given, from) => {
      const covered = given.flatMap(({ value, length }) => {
        const size = 2 ** (bits - length);
        return Array.from({ length: size }, (_, index) => value - (value % size) + index);
      });
      const merged = merge(given.map(({ value, length }) => toText(value, from, from + length)));
      const fewest = findFewest(new Set(covered), from);
      expect(toNetworks(merged)).toEqual(toNetworks(fewest));
      expect(merged).toHaveLength(fewest.length);
      expect(merge(merged)).toEqual(merged);
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['::', '::'],
  ['::1', '::1'],
  ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
  ['2001:DB8:0:1:1:1:1:0/127', '2001:db8:0:1:1:1:1:0/127'],
  ['fe80::ffff:ffff/16', 'fe80::/16'],
  ['::ffff:192.0.2.7', '::ffff:c000:207'],
])('%s is written as nft takes it', (given, written) => {
  expect(merge([given])).toEqual([written]);
  expect(toGroups(written.replace(/\/.*/, ''))).toHaveLength(8);
});
