import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DocumentationError } from './documentation-error.ts';

/**
 * A page that is written by hand, with each `{{name}}` on a line of its own replaced by generated
 * text.
 * @throws DocumentationError for a name without text, or a text without a name
 */
export function fillPage(name: string, parts: Readonly<Record<string, string>>): string {
  const page = readFileSync(join(import.meta.dirname, 'pages', name), 'utf8');
  const asked = [...page.matchAll(/^\{\{(.+)\}\}$/gm)].map(([, part = '']) => part);
  const wrong = [
    ...asked.filter((part) => !(part in parts)),
    ...Object.keys(parts).filter((part) => !asked.includes(part)),
  ];
  if (wrong.length > 0)
    throw new DocumentationError(
      `tools/docs/pages/${name}: the page and its generator differ: ${wrong.join(', ')}`,
    );
  const filled = page.replaceAll(/^\{\{(.+)\}\}$/gm, (_, part: string) => parts[part] ?? '');
  return `<!-- Written by \`npm run docs\` from the code and tools/docs/pages/${name}: change those, not this file. -->\n\n${filled}`;
}

/** A table. The caller has to give each row as many cells as the header. */
export function renderTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const toRow = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [toRow(header), `|${header.map(() => '---|').join('')}`, ...rows.map(toRow)].join('\n');
}

/** A list of names with what each is. */
export function renderList(rows: readonly (readonly [name: string, meaning: string])[]): string {
  return rows.map(([name, meaning]) => wrapEntry(`- ${name}: ${meaning}`)).join('\n');
}

const lineWidth = 140;

/** An entry of a list on lines that an editor shows whole; what is typed stays in one piece. */
export function wrapEntry(entry: string): string {
  const lines: string[] = [];
  for (const word of entry.match(/(?:`[^`]*`|[^\s`])+/g) ?? []) {
    const last = lines.at(-1);
    if (last === undefined) lines.push(word);
    else if (last.length + 1 + word.length > lineWidth) lines.push(`  ${word}`);
    else lines.splice(-1, 1, `${last} ${word}`);
  }
  return lines.join('\n');
}

/** Text in the form for an entry of a list. */
export function toLine(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('\n', ' ');
}

/** Text in the form for a cell. */
export function toCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');
}

/** Text that is typed, in the form for a cell. */
export function toCode(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``;
}

/** The text as a sentence. */
export function toSentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

/** The place of a heading in a page's address. */
export function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
}
