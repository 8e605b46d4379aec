import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { chooseConsumerPorts, type PortRange } from '../../../src/lib/ports.ts';
import { assertLaw } from '../law.ts';

test.each<readonly [string | undefined, PortRange | undefined]>([
  ['32768\t60999', { first: 16_384, last: 32_767 }],
  [undefined, { first: 16_384, last: 32_767 }],
  ['what is this', { first: 16_384, last: 32_767 }],
  ['1024\t4999', { first: 16_384, last: 32_767 }],
  ['30000\t60999', { first: 16_384, last: 29_999 }],
  ['16384\t32767', { first: 32_768, last: 65_535 }],
  ['15000\t61439', { first: 61_440, last: 65_535 }],
  ['15000\t61440', { first: 1024, last: 14_999 }],
  ['1024\t65535', undefined],
])('beside a device’s own ports from %j consumers’ are %j', (localRange, ports) => {
  expect(chooseConsumerPorts(localRange)).toEqual(ports === undefined ? [] : [ports]);
});

test('consumers’ ports are never the device’s own', () => {
  const port = fc.integer({ min: 1, max: 65_535 });
  assertLaw(fc.tuple(port, port), (pair) => {
    const [first = 0, last = 0] = pair.toSorted((one, other) => one - other);
    for (const ports of chooseConsumerPorts(`${first}\t${last}`))
      expect(ports.last < first || ports.first > last).toBe(true);
  });
});

test.each<readonly [readonly number[], readonly (readonly [number, number])[]]>([
  [[22, 5353, 40_000], [[16_384, 32_767]]],
  [
    [22_000],
    [
      [16_384, 21_999],
      [22_001, 32_767],
    ],
  ],
  [[16_384, 32_767], [[16_385, 32_766]]],
  [
    [27_016, 27_015, 27_015],
    [
      [27_017, 32_767],
      [16_384, 27_014],
    ],
  ],
])('where programs listen at %j, consumers have %j', (listening, ranges) => {
  const expected = ranges.map(([first, last]) => ({ first, last }));
  expect(chooseConsumerPorts(undefined, listening)).toEqual(expected);
});

test('consumers’ ports are never one at which a program listens, however many there are', () => {
  assertLaw(fc.array(fc.integer({ min: 16_000, max: 33_000 }), { maxLength: 60 }), (listening) => {
    const ranges = chooseConsumerPorts(undefined, listening);
    expect(ranges.length).toBeLessThanOrEqual(8);
    for (const { first, last } of ranges)
      expect(listening.filter((port) => first <= port && port <= last)).toEqual([]);
  });
});
