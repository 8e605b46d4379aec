import { expect, test } from 'vitest';
import { isNetworkAdmin } from '../../../src/system/host-hardware.ts';
import { makeFile } from '../config/config-fixture.ts';

test.each([
  ['root', '000001ffffffffff', true],
  ['a service with this capability alone', '0000000000001000', true],
  ['an ordinary user', '0000000000000000', false],
  ['a service with another capability', '0000000000002400', false],
])('%s may or may not change the network', async (_who, effective, expected) => {
  const status = makeFile(`Name:\tnode\nCapPrm:\t000001ffffffffff\nCapEff:\t${effective}\n`);
  expect(await isNetworkAdmin(status)).toBe(expected);
});

test('without an answer of the kernel, no process may change the network', async () => {
  expect(await isNetworkAdmin('/nonexistent')).toBe(false);
});
