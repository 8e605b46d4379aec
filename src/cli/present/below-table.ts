import type { Shown } from '../frame/command.ts';

/**
 * What may be said below a table, which is about what the table shows: the rows that the options
 * chose, and whether a column of it is printed.
 */
export function readBelow<Row>(
  { chosen, columnNames }: Shown,
  table: string,
  all: readonly Row[],
): { readonly rows: readonly Row[]; prints(column: string): boolean } {
  return {
    rows: (chosen?.[table] as readonly Row[] | undefined) ?? all,
    prints: (column) => columnNames?.[table]?.includes(column) === true,
  };
}
