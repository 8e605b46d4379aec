import { escapeUnseen, toPlainText } from '../../lib/plain-text.ts';
import { wrapText } from '../../status/wrap.ts';
import type { Terminal } from '../frame/context.ts';
import type { Column } from './table-printer.ts';

/** A sentence on as many lines as the terminal needs, made safe for it. */
export function renderText(text: string, columns: number | undefined): string {
  const lines =
    columns === undefined ? [toPlainText(text)] : wrapText(text, { width: columns, first: '' });
  return joinLines(lines);
}

/** The lines, each with its end; what is no text is left out. */
export function joinLines(lines: readonly (string | false | undefined)[]): string {
  return lines.map((line) => (typeof line === 'string' ? `${line}\n` : '')).join('');
}

/** The sections with an empty line between them, without those that are ''. */
export function joinSections(sections: readonly (string | undefined)[]): string {
  return sections.filter(Boolean).join('\n');
}

/** A line for each label with its value, behind `width` characters. */
export function renderLabelled(
  values: Readonly<Record<string, string | number>>,
  width = 11,
): string {
  return joinLines(
    Object.entries(values).map(([label, value]) => `${label.padEnd(width)}${value}`),
  );
}

/** JSON on one line. Inside the program what is absent is undefined, in JSON it is null. */
export function renderJson(value: unknown): string {
  return escapeUnseen(JSON.stringify(value, (_key, inner: unknown) => inner ?? null));
}

/**
 * The whole table, its titles first; '' for no row. What measures letters is loaded late: it takes
 * its time.
 */
export async function renderTable<Row>(
  rows: readonly Row[],
  terminal: Pick<Terminal, 'columns' | 'now'>,
  layout: readonly Column<NoInfer<Row>>[],
): Promise<string> {
  if (rows.length === 0) return '';
  const { createTablePrinter } = await import('./table-printer.ts');
  return createTablePrinter(layout, terminal)(rows);
}
