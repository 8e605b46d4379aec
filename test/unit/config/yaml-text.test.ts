import { describe, expect, test } from 'vitest';
import { linesOf, load, withService } from './config-fixture.ts';

const bomb = ['a: &a [x, x, x, x, x, x, x, x, x, x]']
  .concat(
    'bcdefgh'
      .split('')
      .map((name, index) => `${name}: &${name} [${Array(10).fill(`*${'abcdefg'[index]}`)}]`),
  )
  .join('\n');

describe('a file that is no configuration is refused with its line', () => {
  const rows: readonly (readonly [string, string | Uint8Array, RegExp])[] = [
    [
      'a doubled key',
      withService('log: { level: info }', 'log: { level: warn }'),
      /^FILE:4: not valid YAML: .*unique/,
    ],
    [
      'a tab',
      'service:\n\tbase_url: https://service.example\n',
      /^FILE:2: not valid YAML: .*\(indent with spaces\)$/,
    ],
    ['a list', '- service\n', /^FILE:1: found no map; allowed: sections with keys/],
    ['a text', 'hello\n', /^FILE:1: found no map/],
    ['two documents', withService('---', 'log: {}'), /^FILE:\d: not valid YAML: /],
    ['aliases that multiply', bomb, /^FILE: not readable as YAML: Excessive alias count/],
    [
      'a list in a list in a list, endlessly',
      `${'['.repeat(60_000)}${']'.repeat(60_000)}`,
      /^FILE:1: not valid YAML: nested too deeply$/,
    ],
    ['more than 256 KiB', `# ${'x'.repeat(256 * 1024)}\n`, /^FILE: it is larger than 256 KiB$/],
    ['bytes that are no UTF-8', new Uint8Array([0x61, 0xff, 0xfe]), /^FILE: it is not UTF-8 text$/],
  ];
  test.each(rows)('%s', async (_claim, text, expected) => {
    const lines = await linesOf(text);
    expect(lines[0]).toMatch(expected);
  });
});

test.each([
  ['a key further in than those above it', 'service:\n  base_url: x\n    profile: y\n', 2],
  ['a key further out', 'service:\n    base_url: x\n  profile: y\n', 3],
  ['keys below a value', 'log: info\n  format: json\n', 1],
  ['a colon in a value', 'device:\n  description: attic: the Pi\n', 2],
])('%s is one line that guesses at the indentation', async (_claim, text, line) => {
  const found = `FILE:${line}: not valid YAML here, probably the indentation or a stray ':'`;
  expect(await linesOf(text)).toEqual([found]);
});

test('a file full of mistakes names the first few', async () => {
  expect(await linesOf('] }\n'.repeat(500))).toHaveLength(5);
});

test('a doubled key does not hide what else is wrong', async () => {
  const lines = await linesOf(
    withService('log: { level: loud, level: loud }', 'report: { ledger: 5 }'),
  );
  expect(lines.map((line) => line.split(':')[1])).toEqual(['3', '3', '4']);
});

test('a section whose keys are all commented out counts as absent', async () => {
  const { config } = await load(withService('log:', '# level: debug', 'provide:'));
  expect(config.log.level).toBe('info');
});

test('an empty file is one without keys', async () => {
  expect(await linesOf('')).toEqual([
    'FILE: service.base_url: missing; allowed: an https:// address, such as "https://service.example/api"',
  ]);
});

test('an anchor and its alias may save typing', async () => {
  const { config } = await load(
    withService('gateway: { connections: { per_consumer: &most 50, half_open: *most } }'),
  );
  expect(config.gateway.connections).toEqual({ per_consumer: 50, half_open: 50 });
});

test('a line is told below block maps and lists', async () => {
  const lines = await linesOf(
    withService('gateway:', '  blocked_ports:', '    - 25', '    - many'),
  );
  expect(lines).toEqual([
    expect.stringMatching(
      /^FILE:6: gateway.blocked_ports\[1\]: found "many"; allowed: a port from 1/,
    ),
  ]);
});
