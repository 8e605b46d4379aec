import stringWidth from 'string-width';
import { toPlainText } from '../../status/wrap.ts';

/** One column; `read` gives a row's cell, in which a stranger's control characters are made harmless. */
export interface Column<Row> {
  readonly title: string;
  readonly read: (row: Row) => string;
  /** Where the cell stands; default left. */
  readonly align?: 'left' | 'right';
  /** Columns that it may be cut down to where the terminal is too narrow; undefined: never cut. */
  readonly least?: number;
  /** True for an id, whose first letters are enough to name it: cut without a mark. */
  readonly isId?: boolean;
  /** True for an address, which is known by both its ends: cut in the middle. */
  readonly isAddress?: boolean;
  /** Left out first, the highest first, where cutting is not enough; undefined: always there. */
  readonly dropOrder?: number;
}

interface Fitted<Row> {
  readonly column: Column<Row>;
  readonly width: number;
}

/**
 * Prints rows page by page, so a long list need not be known to its end: the first page says which columns have room, and
 * a later one with longer cells widens them.
 */
export interface TablePrinter<Row> {
  /** The page as text; with the titles before the first one. */
  print(rows: readonly Row[]): string;
}

const gap = '  ';
const mark = '…';

/** The whole table, its titles first; '' for no row. `columns`: of the terminal, undefined for as many as it takes. */
export function renderTable<Row>(
  layout: readonly Column<Row>[],
  rows: readonly Row[],
  columns: number | undefined,
): string {
  return rows.length === 0 ? '' : createTablePrinter(layout, columns).print(rows);
}

export function createTablePrinter<Row>(
  layout: readonly Column<Row>[],
  columns: number | undefined,
): TablePrinter<Row> {
  let fitted: readonly Fitted<Row>[] | undefined;
  return {
    print(rows) {
      const isFirst = fitted === undefined;
      const all = fitColumns(layout, rows, { room: columns ?? Number.POSITIVE_INFINITY, before: fitted });
      fitted = all;
      const lines = rows.map((row) => renderLine(all, (own) => cutCell(own, row)));
      return [...(isFirst ? [renderLine(all, ({ column }) => column.title)] : []), ...lines]
        .map((line) => `${line}\n`)
        .join('');
    },
  };
}

/** Text on exactly so many columns of a terminal: cut at the end with a mark, or filled up. */
export function fitText(text: string, width: number): string {
  return pad(cut(text, width, mark), width, 'left');
}

function fitColumns<Row>(
  layout: readonly Column<Row>[],
  rows: readonly Row[],
  { room, before }: { readonly room: number; readonly before: readonly Fitted<Row>[] | undefined },
): readonly Fitted<Row>[] {
  const measured = (before?.map(({ column }) => column) ?? layout).map((column) => measure(column, rows));
  if (before === undefined) return shrink(dropUntilFits(measured, room), room);
  const grown = measured.map((own, index) => ({ ...own, width: Math.max(own.width, before[index]?.width ?? 0) }));
  return shrink(grown, room);
}

/** The column as wide as its widest cell. */
function measure<Row>(column: Column<Row>, rows: readonly Row[]): Fitted<Row> {
  const cells = rows.map((row) => stringWidth(toPlainText(column.read(row))));
  return { column, width: Math.max(stringWidth(column.title), ...cells) };
}

/** Leaves columns out until the rest, cut as far as it may be, has room. */
function dropUntilFits<Row>(all: readonly Fitted<Row>[], room: number): readonly Fitted<Row>[] {
  if (toTotal(all.map(toLeast)) <= room) return all;
  const next = all
    .filter(({ column }) => column.dropOrder !== undefined)
    .toSorted((one, other) => (other.column.dropOrder ?? 0) - (one.column.dropOrder ?? 0))[0];
  return next === undefined
    ? all
    : dropUntilFits(
        all.filter((fitted) => fitted !== next),
        room,
      );
}

/** Cuts ids, whose first letters say as much as all of them, then column by column the widest that may still be cut. */
function shrink<Row>(all: readonly Fitted<Row>[], room: number): readonly Fitted<Row>[] {
  if (toTotal(all.map(({ width }) => width)) <= room) return all;
  const widths = all.map((fitted) => (fitted.column.isId === true ? toLeast(fitted) : fitted.width));
  const leasts = all.map(toLeast);
  while (toTotal(widths) > room) {
    const spare = widths.map((width, index) => (width > (leasts[index] ?? width) ? width : 0));
    const widest = spare.indexOf(Math.max(...spare));
    if (spare[widest] === 0 || widest === -1) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return all.map(({ column }, index) => ({ column, width: widths[index] ?? 0 }));
}

function toLeast<Row>({ column, width }: Fitted<Row>): number {
  return column.least === undefined ? width : Math.min(width, Math.max(column.least, stringWidth(column.title)));
}

function toTotal(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + gap.length * (widths.length - 1);
}

function renderLine<Row>(all: readonly Fitted<Row>[], toCell: (fitted: Fitted<Row>) => string): string {
  return all
    .map((fitted) => pad(toCell(fitted), fitted.width, fitted.column.align))
    .join(gap)
    .trimEnd();
}

function pad(text: string, width: number, align: 'left' | 'right' | undefined): string {
  const blanks = ' '.repeat(Math.max(0, width - stringWidth(text)));
  return align === 'right' ? `${blanks}${text}` : `${text}${blanks}`;
}

function cutCell<Row>({ column, width }: Fitted<Row>, row: Row): string {
  const text = toPlainText(column.read(row));
  if (column.isAddress !== true || stringWidth(text) <= width) return cut(text, width, column.isId ? '' : mark);
  const tailWidth = Math.floor((width - mark.length) / 2);
  return `${takeStart(text, width - mark.length - tailWidth)}${mark}${takeEnd(text, tailWidth)}`;
}

function cut(text: string, width: number, ending: string): string {
  return stringWidth(text) <= width ? text : `${takeStart(text, width - ending.length)}${ending}`;
}

function takeStart(text: string, width: number): string {
  return take(toGraphemes(text), width).join('');
}

function takeEnd(text: string, width: number): string {
  return take(toGraphemes(text).toReversed(), width).toReversed().join('');
}

/** As many of the first as have room. */
function take(graphemes: readonly string[], width: number): readonly string[] {
  let taken = 0;
  const end = graphemes.findIndex((grapheme) => {
    taken += stringWidth(grapheme);
    return taken > width;
  });
  return end === -1 ? graphemes : graphemes.slice(0, end);
}

function toGraphemes(text: string): readonly string[] {
  return [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
}
