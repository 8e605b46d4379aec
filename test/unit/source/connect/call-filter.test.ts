import { describe, expect, test } from 'vitest';
import { toCallFilter } from '../../../../src/source/connect/call-filter.ts';
import { callNumbers } from '../../../../src/source/connect/call-numbers.ts';

const [local, internet, internet6, kernel] = [1, 2, 10, 16];

/** Runs the filter as the kernel does: true where the call is allowed. */
function runFilter(
  filter: ReturnType<typeof toCallFilter>,
  shown: Readonly<Record<number, number>>,
): boolean {
  let loaded: number | undefined;
  for (let at = 0; at < filter.length; at++) {
    const [code = 0, ifTrue = 0, ifFalse = 0, value = 0] = filter[at] ?? [];
    if (code === 0x06) return value === 0x7fff0000;
    if (code === 0x20) loaded = shown[value];
    else {
      const number = loaded ?? Number.NaN;
      at += (code === 0x35 ? number >= value : number === value) ? ifTrue : ifFalse;
    }
  }
  throw new Error('the filter has no end');
}

describe.each(Object.entries(callNumbers))('the filter of calls on %s', (_, numbers) => {
  const { audit, socket, refused } = numbers;
  const orders = [
    ['LE', 16],
    ['BE', 20],
  ] as const;
  const allows = (of: { readonly number: number; readonly audit?: number; family?: number }) =>
    orders.map(([order, familyAt]) =>
      runFilter(toCallFilter(numbers, order), {
        0: of.number,
        4: of.audit ?? audit,
        [familyAt]: of.family ?? internet,
      }),
    );
  const [both, neither] = [
    [true, true],
    [false, false],
  ];

  test('leaves sockets of the Internet, and no others', () => {
    expect(allows({ number: socket, family: internet })).toEqual(both);
    expect(allows({ number: socket, family: internet6 })).toEqual(both);
    expect(allows({ number: socket, family: local })).toEqual(neither);
    expect(allows({ number: socket, family: kernel })).toEqual(neither);
  });

  test('refuses each call of its list, and leaves the others', () => {
    expect(new Set(refused).size).toBe(refused.length);
    for (let number = 0; number < 512; number++) {
      if (number === socket) continue;
      expect(allows({ number })).toEqual(refused.includes(number) ? neither : both);
    }
  });

  test('refuses all calls of another processor, and of x32', () => {
    expect(allows({ number: socket, audit: audit ^ 0x80000000 })).toEqual(neither);
    expect(allows({ number: 0, audit: 0x40000003 })).toEqual(neither);
    expect(allows({ number: 0x40000000 + socket })).toEqual(neither);
  });
});
