import { describe, expect, test } from 'vitest';
import { asAgo, asGib } from '../../../../src/cli/present/amounts.ts';
import {
  choose,
  readChoice,
  renderCsv,
  renderTables,
} from '../../../../src/cli/present/listing.ts';
import { defineTable, type ListOptions } from '../../../../src/cli/present/tables.ts';

const now = new Date('2026-03-14T15:09:26Z');
const paint = (_: string, text: string) => text;
const devices = [
  { name: 'attic 10', gib: 2, seenAt: '2026-03-14T15:09:25Z' },
  { name: 'shed, "big"', gib: undefined, seenAt: undefined },
  { name: 'attic 9', gib: 10, seenAt: '2026-03-14T12:09:26Z' },
  { name: '=cmd|', gib: 0.5, seenAt: '2026-03-13T15:09:26Z' },
];

const table = () =>
  defineTable(
    devices,
    [
      { title: 'Name', read: ({ name }) => name },
      { ...asGib, title: 'Transfer', read: ({ gib }) => gib, dropOrder: 1 },
      { bar: ({ gib }) => gib, width: 4 },
      { ...asAgo, title: 'Last seen', read: ({ seenAt }) => seenAt, isOptional: true },
    ],
    { Name: 'all 4' },
  );

function chooseFrom(options: ListOptions, columns?: number) {
  return choose({ devices: table() }, readChoice(options, { columns }), now);
}

const names = (options: ListOptions) =>
  (chooseFrom(options).devices?.rows as typeof devices | undefined)?.map(({ name }) => name);

describe('a list', () => {
  test.each<[string, ListOptions, readonly string[]]>([
    ['is in its own order', {}, ['attic 10', 'shed, "big"', 'attic 9', '=cmd|']],
    [
      'is sorted by words as people count',
      { sort: 'name' },
      ['=cmd|', 'attic 9', 'attic 10', 'shed, "big"'],
    ],
    [
      'is sorted by numbers, what is unknown last',
      { sort: 'transfer' },
      ['=cmd|', 'attic 10', 'attic 9', 'shed, "big"'],
    ],
    [
      'is turned round, what is unknown still last',
      { sort: '-tran' },
      ['attic 9', 'attic 10', '=cmd|', 'shed, "big"'],
    ],
    ['is sorted by times', { sort: '-last-seen' }, ['attic 10', 'attic 9', '=cmd|', 'shed, "big"']],
    ['is filtered by any column', { filter: 'ATTIC' }, ['attic 10', 'attic 9']],
    ['is filtered by one column', { filter: 'transfer=10' }, ['attic 9']],
    ['is filtered by what people read', { filter: 'last=3 h ago' }, ['attic 9']],
    ['is limited after it is sorted', { sort: '-transfer', limit: '1' }, ['attic 9']],
    ['is whole on demand', { limit: 'all' }, ['attic 10', 'shed, "big"', 'attic 9', '=cmd|']],
  ])('%s', (_, options, expected) => {
    expect(names(options)).toEqual(expected);
  });

  test.each<[ListOptions, string]>([
    [
      { sort: 'nmae' },
      'column nmae: it must be one of name, transfer, last-seen (did you mean name?)',
    ],
    [{ columns: 'name,size' }, 'column size: it must be one of name, transfer, last-seen'],
    [{ filter: 'mode=public' }, 'column mode: it must be one of name, transfer, last-seen'],
    [{ limit: '0' }, '--limit 0: it must be a whole number from 1 to 99999999'],
    [{ json: true, csv: true }, '--json prints every field: leave --csv out'],
    [{ json: true, columns: 'name' }, '--json prints every field: leave --columns out'],
  ])('says what is wrong with %j', (options, message) => {
    expect(() => chooseFrom(options)).toThrow(message);
  });

  test('has only the columns that were named, in that order, also what is left out elsewhere', () => {
    const { devices: text } = renderTables(chooseFrom({ columns: 'transfer,name', limit: '1' }), {
      columns: 12,
      now: () => now,
      paint,
    });
    expect(text).toBe(
      'Transfer  Name\n 2.15 GB  attic 10\n          all 4\n… and 3 more: --limit all\n',
    );
  });

  test('shows sums for all rows together, and none for a part of them', () => {
    const render = (options: ListOptions) =>
      renderTables(chooseFrom(options), { columns: undefined, now: () => now, paint });
    expect(render({ limit: '1' }).devices).toContain('all 4');
    expect(render({ filter: 'attic' }).devices).not.toContain('all 4');
  });

  test('shows a first screen at a terminal, and every row elsewhere', () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => ({ name: `device ${index}` }));
    const many = { many: defineTable(rows, [{ title: 'Name', read: ({ name }) => name }]) };
    const count = (options: ListOptions, columns?: number) =>
      choose(many, readChoice(options, { columns }), now).many?.rows.length;
    expect([
      count({}, 80),
      count({}),
      count({ json: true }, 80),
      count({ csv: true }, 80),
      count({ limit: '7' }),
    ]).toEqual([50, 10_000, 10_000, 10_000, 7]);
  });

  test('is CSV with plain figures, quoted where it has to be, and no formula for a spreadsheet', () => {
    expect(renderCsv(chooseFrom({ csv: true }, 80))).toBe(
      [
        'name,transfer,last-seen',
        'attic 10,2,2026-03-14T15:09:25Z',
        '"shed, ""big""",,',
        'attic 9,10,2026-03-14T12:09:26Z',
        "'=cmd|,0.5,2026-03-13T15:09:26Z",
        '',
      ].join('\r\n'),
    );
  });
});

test('ids sort as text: digits in them are no number', () => {
  const rows = ['f29197', 'f20536a9', 'f1982ec3', 'f618'].map((id) => ({ id }));
  const clients = defineTable(rows, [{ title: 'Client', read: ({ id }) => id, isId: true }]);
  const sorted = choose({ clients }, readChoice({ sort: 'client' }, { columns: undefined }), now)
    .clients?.rows as typeof rows;
  expect(sorted.map(({ id }) => id)).toEqual(['f1982ec3', 'f20536a9', 'f29197', 'f618']);
});
