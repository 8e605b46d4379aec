import { escapeUnseen, toPlainText } from '../../lib/plain-text.ts';
import { wrapText } from '../../status/wrap.ts';
import type { Terminal } from '../frame/context.ts';
import type { Column } from './table-printer.ts';

/** A sentence, made safe for a terminal, on as many lines as it needs. */
export function renderText(text: string, columns: number | undefined): string {
  const lines =
    columns === undefined ? [toPlainText(text)] : wrapText(text, { width: columns, first: '' });
  return joinLines(lines);
}

/** The lines, each with its end; false and undefined are left out. */
export function joinLines(lines: readonly (string | false | undefined)[]): string {
  return lines.map((line) => (typeof line === 'string' ? `${line}\n` : '')).join('');
}

/** The sections with an empty line between them; empty ones are left out. */
export function joinSections(sections: readonly (string | undefined)[]): string {
  return sections.filter(Boolean).join('\n');
}

/** A line for each label and value; the labels take `width` characters. */
export function renderLabelled(
  values: Readonly<Record<string, string | number>>,
  width = 11,
): string {
  return joinLines(
    Object.entries(values).map(([label, value]) => `${label.padEnd(width)}${value}`),
  );
}

/** JSON on one line. What is undefined inside the program is null in JSON. */
export function renderJson(value: unknown): string {
  return escapeUnseen(JSON.stringify(value, (_key, inner: unknown) => inner ?? null));
}

/**
 * The whole table, titles first; '' without rows. The module that measures letters is loaded here,
 * because that takes time.
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
