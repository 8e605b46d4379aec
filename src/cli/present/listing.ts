import { findNearest } from '../../lib/edit-distance.ts';
import { toPlainText } from '../../lib/plain-text.ts';
import { parseNumber, refuse, refuseOption } from '../frame/command.ts';
import type { Terminal } from '../frame/context.ts';
import {
  type Cell,
  type Column,
  createTablePrinter,
  formatCell,
  type TextColumn,
} from './table-printer.ts';
import type { ListOptions, Table, Tables } from './tables.ts';

const screenRows = 50;
const most = 99_999_999;

type Choice = ReturnType<typeof readChoice>;

/** The choice that the options make. @throws usage-invalid */
export function readChoice(options: ListOptions, { columns }: Pick<Terminal, 'columns'>) {
  const { csv = false, json = false, sort, filter, columns: names } = options;
  if (json && (csv || names !== undefined))
    throw refuse(`--json prints every field: leave ${csv ? '--csv' : '--columns'} out`);
  const whole = csv || json || columns === undefined ? most : screenRows;
  const limit = options.limit ?? `${whole}`;
  const [, name, text = filter] = /^([a-z][a-z-]*)=(.*)$/i.exec(filter ?? '') ?? [];
  return {
    isNarrowed: [options.limit, sort, filter].some((own) => own !== undefined),
    limit: limit === 'all' ? most : parseNumber('--limit', limit, { least: 1, most }),
    sort:
      sort === undefined
        ? undefined
        : { name: sort.replace(/^-/, ''), isDescending: sort.startsWith('-') },
    filter: text === undefined ? undefined : { name, text: text.toLowerCase() },
    names: names?.split(',').map((own) => own.trim()),
  };
}

/**
 * The tables with the chosen rows and columns, and how many more rows there are.
 * @throws usage-invalid
 */
export function choose(tables: Tables, choice: Choice, now: Date) {
  const asked = [choice.sort?.name, choice.filter?.name, ...(choice.names ?? [])].filter(
    (name) => name !== undefined,
  );
  for (const name of asked) checkName(name, Object.values(tables));
  const chosen = Object.entries(tables).map(([key, table]) => {
    const found = sortRows(filterRows(table, choice, now), table, choice);
    const rows = found.slice(0, choice.limit);
    // A footer has the sums of all rows, so it is left out where some are missing.
    const footer = found.length === table.rows.length ? table.footer : undefined;
    return [
      key,
      {
        ...table,
        all: table.rows,
        rows,
        footer,
        columns: chooseColumns(table, choice),
        more: found.length - rows.length,
      },
    ] as const;
  });
  return Object.fromEntries(chosen);
}

type Chosen = ReturnType<typeof choose>;

/** Each table as text for people, under its name. */
export function renderTables(chosen: Chosen, terminal: Terminal): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(chosen).map(([key, { rows, columns, footer, more }]) => {
      const note = more > 0 ? `… and ${more} more: --limit all\n` : '';
      return [
        key,
        rows.length === 0 ? '' : `${createTablePrinter(columns, terminal, footer)(rows)}${note}`,
      ];
    }),
  );
}

/** The tables that have rows, in the form of RFC 4180, with an empty line between two tables. */
export function renderCsv(chosen: Chosen): string {
  const all = Object.values(chosen);
  const filled = all.filter(({ rows }) => rows.length > 0);
  const tables = (filled.length > 0 ? filled : all.slice(0, 1)).map(({ rows, columns }) => {
    const texts = columns.filter(isText);
    const lines = [texts.map(nameOf), ...rows.map((row) => texts.map(({ read }) => read(row)))];
    return lines.map((cells) => `${cells.map(quote).join(',')}\r\n`).join('');
  });
  return tables.join('\r\n');
}

export function listColumnNames(columns: Table['columns']): readonly string[] {
  return columns.filter(isText).map(nameOf);
}

function quote(cell: Cell): string {
  // A spreadsheet would read a text that begins like this as a formula, and a device's name can be
  // any text.
  const text =
    typeof cell === 'string' ? toPlainText(cell).replace(/^(?=[=+\-@])/, "'") : String(cell ?? '');
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function isText<Row>(column: Column<Row>): column is TextColumn<Row> {
  return 'read' in column && nameOf(column) !== '';
}

function nameOf({ name, title }: Pick<TextColumn<never>, 'name' | 'title'>): string {
  return name ?? title.toLowerCase().replaceAll(' ', '-');
}

/** The column with this name, or the only one whose name begins like this. */
function findColumn({ columns }: Table, name: string) {
  const lower = name.toLowerCase();
  const texts = columns.filter(isText);
  const begun = texts.filter((own) => nameOf(own).startsWith(lower));
  return texts.find((own) => nameOf(own) === lower) ?? (begun.length === 1 ? begun[0] : undefined);
}

/** Checks that a table has this column. @throws usage-invalid if none has */
function checkName(name: string, tables: readonly Table[]): void {
  if (tables.some((table) => findColumn(table, name) !== undefined)) return;
  const known = [...new Set(tables.flatMap(({ columns }) => listColumnNames(columns)))];
  const nearest = findNearest(name, known);
  const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
  throw refuseOption('column', toPlainText(name), `one of ${known.join(', ')}${hint}`);
}

function filterRows(table: Table, { filter }: Choice, now: Date): readonly unknown[] {
  if (filter === undefined) return table.rows;
  const named = filter.name === undefined ? undefined : findColumn(table, filter.name);
  const columns =
    filter.name === undefined
      ? table.columns.filter(isText)
      : [named].filter((own) => own !== undefined);
  const contains = (text: string) => text.toLowerCase().includes(filter.text);
  return table.rows.filter((row) =>
    columns.some(
      (own) => contains(`${own.read(row) ?? ''}`) || contains(formatCell(own, own.read(row), now)),
    ),
  );
}

/** Unknown values come last in either direction. */
function sortRows(rows: readonly unknown[], table: Table, { sort }: Choice): readonly unknown[] {
  const column = sort && findColumn(table, sort.name);
  if (column === undefined) return rows;
  const turn = sort?.isDescending ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [left, right] = [column.read(one), column.read(other)];
    if (left === undefined || right === undefined)
      return Number(left === undefined) - Number(right === undefined);
    if (typeof left === 'number' && typeof right === 'number') return turn * (left - right);
    // The digits of an id are no number.
    return turn * `${left}`.localeCompare(`${right}`, 'en', { numeric: !('isId' in column) });
  });
}

/** The named columns, which are never dropped; otherwise all. */
function chooseColumns(table: Table, { names }: Choice): Table['columns'] {
  if (names === undefined) return table.columns;
  const named = names.flatMap((name) => findColumn(table, name) ?? []);
  return named.map(({ dropOrder: _, isOptional: __, ...column }) => column);
}
