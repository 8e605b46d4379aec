import * as fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import {
  type Column,
  createTablePrinter,
  fitText,
} from '../../../../src/cli/present/table-printer.ts';
import { renderTable } from '../../../../src/cli/present/text.ts';
import { assertLaw } from '../../law.ts';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly amount: string;
}

const layout: readonly Column<Row>[] = [
  { title: 'Id', read: ({ id }) => id, least: 4, isId: true },
  { title: 'Name', read: ({ name }) => name, least: 6 },
  { title: 'Amount', read: ({ amount }) => amount, align: 'right', dropOrder: 1 },
];

const terminal = (columns: number | undefined) => ({ columns, now: () => new Date(0) });
const row = (change: Partial<Row> = {}): Row => ({
  id: '12345678',
  name: 'attic',
  amount: '1 B',
  ...change,
});

function renderLines(rows: readonly Row[], columns: number | undefined): readonly string[] {
  return createTablePrinter(layout, terminal(columns))(rows).split('\n').slice(0, -1);
}

describe('a table', () => {
  test('without rows is an empty text', async () => {
    expect(await renderTable([], terminal(80), layout)).toBe('');
    expect(await renderTable([row()], terminal(80), layout)).toContain('attic');
  });

  test('has aligned columns, numbers at the right, without blanks at the end', () => {
    expect(renderLines([row(), row({ name: 'the long shed', amount: '' })], 80)).toEqual([
      'Id        Name           Amount',
      '12345678  attic             1 B',
      '12345678  the long shed',
    ]);
  });

  test.each<[string, number | undefined, readonly string[]]>([
    [
      'cuts nothing where there is no terminal',
      undefined,
      ['12345678  a name of some length     1 B'],
    ],
    ['cuts ids first, and without a mark', 35, ['1234  a name of some length     1 B']],
    ['cuts what else is widest with a mark', 31, ['1234  a name of some l…     1 B']],
    ['drops a column where cutting is not enough', 19, ['1234  a name of so…']],
    ['cuts what is left', 12, ['1234  a nam…']],
    ['goes over the edge rather than to nothing', 5, ['1234  a nam…']],
  ])('%s', (_, columns, lines) => {
    expect(renderLines([row({ name: 'a name of some length' })], columns).slice(1)).toEqual(lines);
  });

  test('cuts an address in its middle, and leaves a short one as it is', () => {
    const addresses: readonly Column<string>[] = [
      { title: 'Address', read: (text) => text, least: 9, isAddress: true },
      { title: 'Chain', read: () => 'SOL' },
    ];
    expect(createTablePrinter(addresses, terminal(16))(['ABCDEFGHIJKLMNOP', 'short'])).toBe(
      'Address    Chain\nABCD…MNOP  SOL\nshort      SOL\n',
    );
    expect(createTablePrinter(addresses, terminal(17))(['ABCDEFGHIJKLMNOP']).split('\n')[1]).toBe(
      'ABCDE…MNOP  SOL',
    );
    expect(
      createTablePrinter(addresses, terminal(undefined))(['ABCDEFGHIJKLMNOP']).split('\n')[1],
    ).toBe('ABCDEFGHIJKLMNOP  SOL');
  });

  test('shows what is not known, and leaves out a column of which nothing is', () => {
    const notes: readonly Column<{ readonly note?: string }>[] = [
      { title: 'Year', read: () => '', format: (_, now) => String(now.getUTCFullYear()) },
      { title: 'Note', read: ({ note }) => note },
      { title: 'More', read: ({ note }) => note, isOptional: true },
    ];
    expect(createTablePrinter(notes, terminal(80))([{}])).toBe('Year  Note\n1970  -\n');
    expect(createTablePrinter(notes, terminal(80))([{}, { note: '' }])).toBe(
      'Year  Note  More\n1970  -     -\n1970\n',
    );
  });

  test('has bars, the longest for the largest value or for the value of a full bar', () => {
    const bars: readonly Column<number | undefined>[] = [
      { bar: (value) => value, width: 4 },
      { bar: (value) => value, width: 4, most: 8, dropOrder: 1 },
      { title: 'Value', read: String },
    ];
    expect(createTablePrinter(bars, terminal(80))([4, 2, undefined])).toBe(
      '          Value\n████  ██  4\n██    █   2\n          undefined\n',
    );
    expect(createTablePrinter(bars, terminal(12))([4, 2])).toBe('      Value\n████  4\n██    2\n');
  });

  test.each([
    ['wide letters', '東京の屋根裏部屋にある装置'],
    ['emoji', '🛖🛖🛖🛖🛖🛖🛖🛖🛖🛖🛖🛖'],
    ['letters with many marks', `a${'\u0301'.repeat(40)} shed`],
    ['orders to the terminal', '\u001b[2J\u001b]0;title\u0007shed\r\n\u202etac'],
    ['200 letters', 'x'.repeat(200)],
  ])('keeps its columns under a name of %s', (_, name) => {
    for (const columns of [30, 31, 40]) {
      const lines = renderLines([row({ name }), row()], columns);
      expect(lines.join('')).not.toMatch(/[\p{Cc}\u202e]/u);
      expect(lines.map((line) => stringWidth(line)).filter((width) => width > columns)).toEqual([]);
      const at = lines.map((line) => stringWidth(line));
      expect(new Set(at).size, lines.join('\n')).toBe(1);
    }
  });

  test('is never wider than the terminal, unless its least width is', () => {
    const rows = fc.array(
      fc.record({
        id: fc.string(),
        name: fc.string({ unit: 'grapheme' }),
        amount: fc.string({ maxLength: 6 }),
      }),
      { minLength: 1, maxLength: 5 },
    );
    assertLaw(fc.tuple(rows, fc.integer({ min: 20, max: 60 })), ([some, columns]) => {
      const widths = renderLines(some, columns).map((line) => stringWidth(line));
      expect(Math.max(...widths)).toBeLessThanOrEqual(columns);
    });
  });
});

describe('a table in pages', () => {
  test('has its titles once, and keeps its columns', () => {
    const printer = createTablePrinter(layout, terminal(40));
    expect(printer([row({ name: 'the shed' })])).toBe(
      'Id        Name      Amount\n12345678  the shed     1 B\n',
    );
    expect(printer([row({ name: 'attic' })])).toBe('12345678  attic        1 B\n');
  });

  test('goes no further than the terminal with a later, longer cell, and cuts it nowhere else', () => {
    const long = row({ name: 'a name of some length and then more' });
    const narrow = createTablePrinter(layout, terminal(40));
    narrow([row()]);
    expect(narrow([long])).toBe('1234  a name of some length and…     1 B\n');
    const pipe = createTablePrinter(layout, terminal(undefined));
    pipe([row()]);
    expect(pipe([long])).toContain(long.name);
  });
});

test.each([
  ['abc', 5, 'abc  '],
  ['abcdef', 5, 'abcd…'],
  ['東京都', 5, '東京…'],
  ['東京都', 4, '東… '],
  ['', 2, '  '],
])('%j on %d columns is %j', (text, width, fitted) => {
  expect(fitText(text, width)).toBe(fitted);
});
