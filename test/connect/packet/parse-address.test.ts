import { expect, test } from 'vitest';
import { parseAddress } from '../../../src/connect/packet/parse-address.ts';

test.each([
  ['100.112.0.2', '64700002'],
  ['255.255.255.255', 'ffffffff'],
  ['::', '0'.repeat(32)],
  ['::1', `${'0'.repeat(31)}1`],
  ['fd00::2', 'fd000000000000000000000000000002'],
  ['FD00:1:22:333:4444::5', 'fd000001002203334444000000000005'],
  ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
  ['::ffff:1.2.3.4', '00000000000000000000ffff01020304'],
  ['64:ff9b::', `0064ff9b${'0'.repeat(24)}`],
])('%s is %s', (text, bytes) => {
  expect(parseAddress(text).toString('hex')).toBe(bytes);
});

test.each(['', '1.2.3', '1.2.3.4/24', '::g', 'fe80::1%eth0', '1.2.3.4]'])(
  '%j is no address',
  (text) => {
    expect(() => parseAddress(text)).toThrow(`not an address: ${text}`);
  },
);
