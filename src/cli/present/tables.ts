import type { OptionValues } from '../frame/command.ts';
import type { Column, Footer } from './table-printer.ts';

/** Options of every command that shows tables. */
export const listFlags = {
  '--limit <rows>':
    'show at most this many rows, or all (default: 50 in a terminal, otherwise all)',
  '--sort <column>': 'sort by this column, such as name; -payout puts the largest first',
  '--filter <text>': 'show only rows that contain this text; column=text looks in one column',
  '--columns <names>': 'show only these columns, separated by commas',
  '--csv': 'print CSV, with numbers and times as the service gives them',
  '--watch <seconds>': 'refresh after this many seconds, until Ctrl-C',
} as const;

export type ListOptions = Partial<OptionValues<typeof listFlags>> & { readonly json?: boolean };

/** True where the options change a table. */
export function asksForChoice(options: ListOptions): boolean {
  return namesParts(options) || [options.csv, options.watch].some((own) => own !== undefined);
}

/** True where only some of its rows or columns are shown, or in another order. */
export function namesParts({ limit, sort, filter, columns }: ListOptions): boolean {
  return [limit, sort, filter, columns].some((own) => own !== undefined);
}

/** A table. The options choose its rows and columns. */
export interface Table<Row = unknown> {
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly footer?: Footer | undefined;
}

/** Tables by name. A table whose name is also a field of the answer has the same rows. */
export type Tables = Readonly<Record<string, Table>>;

/** Makes a table; what its columns read follows from the type of its rows. */
export function defineTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<NoInfer<Row>>[],
  footer?: Footer,
): Table<Row> {
  return { rows, columns, footer };
}
