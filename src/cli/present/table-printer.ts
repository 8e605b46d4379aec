import measureWidth from 'string-width';
import { renderBar } from '../../lib/bars.ts';
import { toPlainText } from '../../lib/plain-text.ts';
import type { Terminal } from '../frame/context.ts';
import { formatCount, unknown } from './amounts.ts';

/** The value of a row in a column. Times are ISO 8601; undefined is unknown and shown as `-`. */
export type Cell = string | number | boolean | undefined;

export interface TextColumn<Row> {
  readonly title: string;
  /** The column's name on the command line and in CSV; by default the title in small letters. */
  readonly name?: string;
  /** The value by which rows are sorted, and which CSV has. */
  read(row: Row): Cell;
  /**
   * The text of a known cell for people; by default the cell itself. The table makes it safe for a
   * terminal.
   */
  readonly format?: (cell: never, now: Date) => string;
  readonly align?: 'left' | 'right';
  /** The width to which it may be cut on a narrow terminal; undefined if it may not be cut. */
  readonly least?: number;
  /**
   * True for an id, which is cut without a mark because its first letters are enough to name it.
   */
  readonly isId?: boolean;
  /** True for an address, which is cut in the middle because people recognize both its ends. */
  readonly isAddress?: boolean;
  /** True to leave the column out if no row has a known value. */
  readonly isOptional?: boolean;
  /**
   * The order of dropping columns if cutting them is not enough, the highest first; undefined if it
   * is never dropped.
   */
  readonly dropOrder?: number;
}

interface BarColumn<Row> {
  bar(row: Row): number | undefined;
  readonly width: number;
  /** The value of a full bar; by default the largest value of the rows. */
  readonly most?: number;
  readonly dropOrder?: number;
}

export type Column<Row> = TextColumn<Row> | BarColumn<Row>;

interface Fitted<Row> {
  readonly column: TextColumn<Row>;
  readonly cells: readonly string[];
  readonly width: number;
}

const gap = '  ';
const mark = '…';

/** The texts of the last line, by the titles above them. */
export type Footer = Readonly<Record<string, string | undefined>>;

/**
 * Renders rows page by page. The first page decides which columns have room; longer cells of a
 * later page widen them.
 */
export function createTablePrinter<Row>(
  layout: readonly Column<Row>[],
  { columns, now }: Pick<Terminal, 'columns' | 'now'>,
  footer?: Footer,
): (rows: readonly Row[]) => string {
  const room = columns ?? Number.POSITIVE_INFINITY;
  let before: readonly Fitted<Row>[] | undefined;
  return (rows) => {
    const at = now();
    const shown = before?.map(({ column }) => column) ?? chooseColumns(layout, rows);
    const measured = shown.map((column, index) => {
      const own = rows.map((row) => toPlainText(formatCell(column, column.read(row), at)));
      const last = footer === undefined ? [] : [toPlainText(`${footer[column.title] ?? ''}`)];
      const cells = before === undefined ? [column.title, ...own, ...last] : own;
      const widths = cells.map((cell) => measureWidth(cell));
      return { column, cells, width: Math.max(before?.[index]?.width ?? 0, ...widths) };
    });
    const fitted = shrink(before === undefined ? dropUntilFits(measured, room) : measured, room);
    before = fitted;
    return (fitted[0]?.cells ?? []).map((_, index) => renderLine(fitted, index)).join('');
  };
}

/** A cell as people read it. */
export function formatCell<Row>(
  { format }: Pick<TextColumn<Row>, 'format'>,
  cell: Cell,
  now: Date,
): string {
  if (cell === undefined) return unknown;
  if (format !== undefined) return format(cell as never, now);
  return typeof cell === 'number' ? formatCount(cell) : String(cell);
}

/** Text on exactly so many columns of a terminal: cut with a mark at the end, or filled up. */
export function fitText(text: string, width: number): string {
  return pad(cut(text, width, {}), width, 'left');
}

function chooseColumns<Row>(layout: readonly Column<Row>[], rows: readonly Row[]) {
  return layout
    .map((column) => ('bar' in column ? drawBars(column, rows) : column))
    .filter(
      ({ isOptional, read }) => isOptional !== true || rows.some((row) => read(row) !== undefined),
    );
}

function drawBars<Row>(
  { bar, width, most, ...rest }: BarColumn<Row>,
  rows: readonly Row[],
): TextColumn<Row> {
  const whole = most ?? rows.reduce((largest, row) => Math.max(largest, bar(row) ?? 0), 0);
  return { ...rest, title: '', read: (row) => renderBar(bar(row) ?? 0, whole, width) };
}

/** Drops columns until the rest has room after cutting. */
function dropUntilFits<Row>(all: readonly Fitted<Row>[], room: number): readonly Fitted<Row>[] {
  const readOrder = ({ column }: Fitted<Row>) => column.dropOrder ?? Number.NEGATIVE_INFINITY;
  const [first] = all.toSorted((one, other) => readOrder(other) - readOrder(one));
  if (first?.column.dropOrder === undefined || sumWidths(all.map(findLeast)) <= room) return all;
  const rest = all.filter((fitted) => fitted !== first);
  return dropUntilFits(rest, room);
}

/**
 * Cuts ids first, because their first letters are enough, and then the widest column that may still
 * be cut.
 */
function shrink<Row>(all: readonly Fitted<Row>[], room: number): readonly Fitted<Row>[] {
  if (sumWidths(all.map(({ width }) => width)) <= room) return all;
  const widths = all.map((fitted) =>
    fitted.column.isId === true ? findLeast(fitted) : fitted.width,
  );
  const leasts = all.map(findLeast);
  while (sumWidths(widths) > room) {
    const spare = widths.map((width, index) => (width > (leasts[index] ?? width) ? width : 0));
    const widest = spare.indexOf(Math.max(...spare));
    if (spare[widest] === 0 || widest === -1) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return all.map((fitted, index) => ({ ...fitted, width: widths[index] ?? 0 }));
}

function findLeast<Row>({ column, width }: Fitted<Row>): number {
  return column.least === undefined
    ? width
    : Math.min(width, Math.max(column.least, measureWidth(column.title)));
}

function sumWidths(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + gap.length * (widths.length - 1);
}

function renderLine<Row>(all: readonly Fitted<Row>[], index: number): string {
  const shown = all.map(({ column, cells, width }) =>
    pad(cut(cells[index] ?? '', width, column), width, column.align),
  );
  return `${shown.join(gap).trimEnd()}\n`;
}

function pad(text: string, width: number, align: 'left' | 'right' | undefined): string {
  const blanks = ' '.repeat(Math.max(0, width - measureWidth(text)));
  return align === 'right' ? `${blanks}${text}` : `${text}${blanks}`;
}

function cut(
  text: string,
  width: number,
  { isAddress, isId }: Pick<TextColumn<never>, 'isAddress' | 'isId'>,
): string {
  if (measureWidth(text) <= width) return text;
  const ending = isId === true ? '' : mark;
  const tailWidth = isAddress === true ? Math.floor((width - mark.length) / 2) : 0;
  return `${take(text, width - ending.length - tailWidth, 'start')}${ending}${take(text, tailWidth, 'end')}`;
}

function take(text: string, width: number, end: 'start' | 'end'): string {
  const graphemes = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
  let taken = 0;
  const hasRoom = (grapheme: string) => {
    taken += measureWidth(grapheme);
    return taken <= width;
  };
  if (end === 'end')
    return graphemes.slice(graphemes.findLastIndex((own) => !hasRoom(own)) + 1).join('');
  const cutAt = graphemes.findIndex((own) => !hasRoom(own));
  return cutAt === -1 ? text : graphemes.slice(0, cutAt).join('');
}
