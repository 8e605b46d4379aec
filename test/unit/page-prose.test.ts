import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findHardWords } from '../hard-words.ts';
import { pages } from '../pages.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const decisions = readdirSync(join(root, 'docs/development/decisions')).map(
  (name) => `docs/development/decisions/${name}`,
);
const texts = [
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...Object.keys(pages),
  ...decisions,
];

/**
 * The sentences of a page with their line: no blocks, no words in backticks, which are other
 * programs' or ours.
 */
function listLines(path: string): readonly { readonly line: number; readonly text: string }[] {
  const blank = (text: string) => text.replaceAll(/[^\n]/g, ' ');
  const prose = read(path)
    .replaceAll(/^ *```[\s\S]*?^ *```$/gm, blank)
    .replaceAll(/`[^`\n]*`/g, blank);
  return prose.split('\n').map((text, index) => ({ line: index + 1, text }));
}

describe('the prose', () => {
  test('of README fits on 200 lines', () => {
    expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(200);
  });

  test.each(texts)('of %s has no word that readers stumble over', (path) => {
    const found = listLines(path).flatMap(({ line, text }) =>
      findHardWords(text).map((word) => `${path}:${line}: ${word}`),
    );
    expect(found).toEqual([]);
  });

  // A table's row cannot be broken.
  test.each(texts)('of %s has lines that an editor shows whole', (path) => {
    const long = listLines(path).filter(({ text }) => text.length > 300 && !text.startsWith('|'));
    expect(long.map(({ line, text }) => `${path}:${line}: ${text.length} characters`)).toEqual([]);
  });
});
