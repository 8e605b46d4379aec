import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mergePortRanges, type ProtocolPorts, parsePortRange } from '../../../src/lib/ports.ts';
import { assertLaw } from '../law.ts';

describe('a port range', () => {
  test.each<[string, ProtocolPorts | undefined]>([
    ['25', { protocol: undefined, first: 25, last: 25 }],
    ['6881-6889', { protocol: undefined, first: 6881, last: 6889 }],
    ['udp/1900', { protocol: 'udp', first: 1900, last: 1900 }],
    ['tcp/6660-6669', { protocol: 'tcp', first: 6660, last: 6669 }],
    ['1-65535', { protocol: undefined, first: 1, last: 65_535 }],
    ...['', '0', '65536', '10-9', 'sctp/5', '5-', '-5', '5-6-7', 'tcp/', '1e3', ' 5', 'mail'].map(
      (text): [string, undefined] => [text, undefined],
    ),
  ])('%s', (text, range) => {
    expect(parsePortRange(text)).toEqual(range);
  });
});

const port = fc.integer({ min: 1, max: 300 });
const protocols = ['tcp', 'udp', undefined] as const;
const ranges = fc.array(
  fc.tuple(fc.constantFrom(...protocols), port, port).map(([protocol, one, other]) => ({
    protocol,
    first: Math.min(one, other),
    last: Math.max(one, other),
  })),
  { maxLength: 20 },
);

test('merged ranges hold the same ports as before, and none touches another', () => {
  assertLaw(fc.tuple(ranges, fc.constantFrom(...protocols)), ([given, protocol]) => {
    const merged = mergePortRanges(given, protocol).flatMap((text) => parsePortRange(text) ?? []);
    const holds = (all: readonly ProtocolPorts[], wanted: number) =>
      all.some(({ first, last }) => first <= wanted && wanted <= last);
    const own = given.filter((range) => range.protocol === protocol);
    for (let wanted = 1; wanted <= 301; wanted += 1)
      expect(holds(merged, wanted)).toBe(holds(own, wanted));
    for (const [index, range] of merged.entries()) {
      expect(range.first).toBeGreaterThan((merged[index - 1]?.last ?? -1) + 1);
    }
  });
});
