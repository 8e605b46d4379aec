import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { listStrictPorts, passingPorts, sharingPorts } from '../../../src/gateway/strict-ports.ts';
import { otherProtocols, parsePortRange } from '../../../src/lib/ports.ts';

const page = readFileSync(new URL('../../../docs/blocked-ports.md', import.meta.url), 'utf8');
const ranges = listStrictPorts().flatMap((entry) => parsePortRange(entry) ?? []);
const isRefused = (protocol: 'tcp' | 'udp', port: number) =>
  ranges.some(
    (range) =>
      (range.protocol ?? protocol) === protocol && range.first <= port && port <= range.last,
  );

/** What the strict rules let through below 1024, written out by hand. */
const passing = {
  tcp: [53, 80, 123, 443, 465, 500, 587, 853, 993, 995],
  udp: [53, 123, 443, 465, 500, 587, 853, 993, 995],
} as const;

describe('the ports of the strict rules', () => {
  test.each(['tcp', 'udp'] as const)('let through by %s below 1024 what people use', (protocol) => {
    const all = Array.from({ length: 1023 }, (_, index) => index + 1);
    expect(all.filter((port) => !isRefused(protocol, port))).toEqual(passing[protocol]);
  });

  test.each(['tcp', 'udp'] as const)(
    'refuse by %s from 1024 on what file sharing is known by',
    (protocol) => {
      const all = Array.from({ length: 65_535 - 1023 }, (_, index) => index + 1024);
      expect(all.filter((port) => isRefused(protocol, port))).toEqual([
        1337, 2710, 6881, 6882, 6883, 6884, 6885, 6886, 6887, 6888, 6889, 6969, 9337,
      ]);
    },
  );

  test('refuse protocols without ports', () => {
    expect(listStrictPorts()).toContain(otherProtocols);
  });

  test.each([...passingPorts, ...sharingPorts])(
    'are in the documentation: $ports',
    ({ ports, why }) => {
      expect(page).toContain(`| \`${ports}\` | ${why} |`);
    },
  );
});
