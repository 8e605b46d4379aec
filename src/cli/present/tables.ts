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

/** True where a table is not shown as it is. */
export function asksForChoice(options: ListOptions): boolean {
  return namesParts(options) || [options.csv, options.watch].some((own) => own !== undefined);
}

/** True where only some of its rows or columns are shown, or in another order. */
export function namesParts({ limit, sort, filter, columns }: ListOptions): boolean {
  return [limit, sort, filter, columns].some((own) => own !== undefined);
}

/** A table whose rows and columns the options choose. */
export interface Table<Row = unknown> {
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly footer?: Footer | undefined;
}

/** By their names; under one that the answer has too are the same rows. */
export type Tables = Readonly<Record<string, Table>>;

/** The table: what its columns read is known from its rows. */
export function defineTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<NoInfer<Row>>[],
  footer?: Footer,
): Table<Row> {
  return { rows, columns, footer };
}
