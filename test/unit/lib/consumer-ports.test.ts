import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { chooseConsumerPorts } from '../../../src/lib/ports.ts';
import { assertLaw } from '../law.ts';

test.each<readonly [string | undefined, ReturnType<typeof chooseConsumerPorts>]>([
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
  expect(chooseConsumerPorts(localRange)).toEqual(ports);
});

test('consumers’ ports are never the device’s own', () => {
  const port = fc.integer({ min: 1, max: 65_535 });
  assertLaw(fc.tuple(port, port), (pair) => {
    const [first = 0, last = 0] = pair.toSorted((one, other) => one - other);
    const ports = chooseConsumerPorts(`${first}\t${last}`);
    if (ports !== undefined) expect(ports.last < first || ports.first > last).toBe(true);
  });
});
