import { expect, test } from 'vitest';
import { isInAny } from '../../src/lib/addresses.ts';
import { toClientAddress } from '../../src/reference-service/proxies.ts';

test.each([
  [1, '10.64.0.1'],
  [254, '10.64.0.254'],
  [255, '10.64.1.1'],
  [254 * 256 + 1, '10.65.0.1'],
  [254 * 2 ** 14, '10.127.255.254'],
])('tunnel %i has the address %s', (number, address) => {
  expect(toClientAddress(number)).toBe(address);
});

test('no two tunnels share an address, and each lies in the pool', () => {
  const addresses = Array.from({ length: 3000 }, (_, index) => toClientAddress(index * 1387 + 1));
  expect(new Set(addresses).size).toBe(3000);
  expect(addresses.filter((address) => !isInAny(address, ['10.64.0.0/10']))).toEqual([]);
});

test.each([0, -1, 1.5, 254 * 2 ** 14 + 1])('there is no tunnel %d', (number) => {
  expect(() => toClientAddress(number)).toThrow(RangeError);
});
