import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** What people read: README and every page of docs, by path; decisions are history. */
export const pages: Readonly<Record<string, string>> = Object.fromEntries(
  ['README.md', ...listPages()].map((path) => [path, read(path)]),
);

/** All pages as one text. */
export const allPages = Object.values(pages).join('\n');

/**
 * Texts of a page's fenced blocks of a kind, without their indentation in a list; of all pages
 * where none is named. @throws Error where the page is missing
 */
export function readBlocks(kind: string, path?: string): readonly string[] {
  return [
    ...readPage(path).matchAll(new RegExp(`^( *)\`\`\`${kind}\\n([\\s\\S]*?)^ *\`\`\`$`, 'gm')),
  ].map(([, indent = '', text = '']) => text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''));
}

/** The shell text, three blanks in, of the comment at the top of a file of the project. */
export function readCommentBlock(path: string): string {
  const lines = read(path).split('\n');
  const comment = lines.slice(
    0,
    lines.findIndex((line) => !line.startsWith('#')),
  );
  return comment.flatMap((line) => /^# {3}(.*)$/.exec(line)?.[1] ?? []).join('\n');
}

/** The commands of shell text, each whole: what goes on over several lines stays together. */
export function splitCommands(text: string): readonly string[] {
  // A text behind << up to its END, a line that ends with a backslash, a comment behind the
  // command.
  return [...text.matchAll(/^.*<<'END'\n[\s\S]*?^END$|^(?:.*\\\n)*.+$/gm)].map(([command]) =>
    command.replace(/ +# .*$/, ''),
  );
}

function readPage(path: string | undefined): string {
  const text = path === undefined ? allPages : pages[path];
  if (text === undefined) throw new Error(`the documentation has no page ${path}`);
  return text;
}

function listPages(): readonly string[] {
  const names = readdirSync(join(root, 'docs'), { encoding: 'utf8', recursive: true });
  return names
    .filter((name) => name.endsWith('.md') && !name.includes('decisions/'))
    .map((name) => `docs/${name}`)
    .toSorted();
}
