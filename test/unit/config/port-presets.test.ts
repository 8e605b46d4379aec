import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { expandPresets, portPresets } from '../../../src/config/port-presets.ts';
import { configSchema } from '../../../src/config/schema.ts';
import { parsePortRange } from '../../../src/lib/ports.ts';

const page = readFileSync(new URL('../../../docs/blocked-ports.md', import.meta.url), 'utf8');
const presets = Object.entries(portPresets);
const parse = (entries: readonly (number | string)[]) =>
  configSchema.parse({
    service: { base_url: 'https://service.example' },
    gateway: { blocked_ports: entries },
  }).gateway.blocked_ports;

test('the page about blocked ports has every preset, row by row', () => {
  const tables = presets.map(([name, rows]) =>
    [
      `## \`${name}\``,
      '',
      '| ports | why |',
      '|---|---|',
      ...rows.map(({ ports, why }) => `| \`${ports}\` | ${why} |`),
    ].join('\n'),
  );
  for (const table of tables) expect(page).toContain(`${table}\n`);
  expect(page.match(/^## `/gm)).toHaveLength(tables.length);
});

test.each(presets)('each row of "%s" is an entry that the owner could have written', (_, rows) => {
  const entries = rows.map(({ ports }) => ports);
  expect(parse(entries)).toEqual(entries);
});

test('an error names every preset', () => {
  for (const [name] of presets) expect(() => parse(['all'])).toThrow(`\\"${name}\\"`);
});

test('a preset stands for its rows, beside ports of the owner’s own', () => {
  expect(expandPresets([25, 'mail', 'udp/9'])).toEqual([25, 25, 465, 587, 2525, 'udp/9']);
});

describe('"web-only"', () => {
  const isBlocked = (protocol: 'tcp' | 'udp', port: number) =>
    expandPresets(['web-only']).some((entry) => {
      const range = parsePortRange(`${entry}`);
      return (
        range !== undefined &&
        (range.protocol ?? protocol) === protocol &&
        range.first <= port &&
        port <= range.last
      );
    });
  test.each(['tcp', 'udp'] as const)(
    'leaves of %s the web and the names of hosts alone',
    (protocol) => {
      const open = Array.from({ length: 65_535 }, (_, index) => index + 1).filter(
        (port) => !isBlocked(protocol, port),
      );
      expect(open).toEqual(protocol === 'tcp' ? [53, 80, 443] : [53, 443]);
    },
  );
});
