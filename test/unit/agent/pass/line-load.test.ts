import { expect, test } from 'vitest';
import { countLineBits, findOwnBits } from '../../../../src/agent/pass/line-load.ts';
import { lineOverheadBytes } from '../../../../src/source/packet-bytes.ts';

const carried = { rxBytes: 1_000, txBytes: 9_000, packets: 5 };
const unknown = { overheadBytes: undefined, mtu: undefined };

test.each([
  [
    'of a source of which nothing is known, by a tunnel',
    { ...carried, ...unknown },
    10_000 + 5 * lineOverheadBytes,
  ],
  [
    'with the bytes of the source and of the frame around each',
    { ...carried, ...unknown, overheadBytes: 100 },
    10_000 + 5 * 114,
  ],
  [
    'in as many packets as its device has at least, where the kernel joins them',
    { ...carried, overheadBytes: 100, mtu: 1_000 },
    10_000 + 10 * 114,
  ],
  [
    'in as many packets as the kernel counts, where they are small',
    { ...carried, packets: 50, overheadBytes: 100, mtu: 1_000 },
    10_000 + 50 * 114,
  ],
])('shared traffic is counted %s', (_claim, source, bytes) => {
  expect(countLineBits([source])).toBe(bytes * 8);
  expect(countLineBits([source, source])).toBe(bytes * 16);
});

test('without a device nothing is shared', () => {
  expect(countLineBits([])).toBe(0);
});

test.each([
  ['what is beyond the shared traffic, which passes the card twice', 2_500, 1_000, 500],
  ['nothing where the card carried less', 1_500, 1_000, 0],
  ['nothing where the card is not known', Number.NaN, 1_000, 0],
])('the own traffic is %s', (_claim, card, shared, own) => {
  expect(findOwnBits(card, shared)).toBe(own);
});
