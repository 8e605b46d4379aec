import { toPlainText, wrapText } from '../../status/wrap.ts';

/** A sentence on as many lines as the terminal needs, a stranger's control characters made harmless. */
export function renderText(text: string, columns: number | undefined): string {
  const lines = columns === undefined ? [toPlainText(text)] : wrapText(text, { width: columns, first: '', rest: '' });
  return lines.map((line) => `${line}\n`).join('');
}
