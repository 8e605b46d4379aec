import type { Terminal } from '../context.ts';
import type { Column } from './table-printer.ts';

/** The whole table, its titles first; '' for no row. What measures letters is loaded late: it takes its time. */
export async function renderTable<Row>(
  rows: readonly Row[],
  terminal: Pick<Terminal, 'columns' | 'now'>,
  layout: readonly Column<NoInfer<Row>>[],
): Promise<string> {
  if (rows.length === 0) return '';
  const { createTablePrinter } = await import('./table-printer.ts');
  return createTablePrinter(layout, terminal).print(rows);
}
