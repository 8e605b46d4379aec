import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pages } from '../pages.ts';

const root = join(import.meta.dirname, '../..');
const documents = ['CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', ...Object.keys(pages)];
const read = (path: string) => readFileSync(join(root, path), 'utf8');

interface Link {
  readonly path: string;
  readonly heading: string | undefined;
}

/** The links of a document to files of the project, from the root. */
function listLinks(file: string): readonly Link[] {
  const targets = [...read(file).matchAll(/\]\(([^):]+)\)/g)].map(([, target = '']) =>
    target.split('#'),
  );
  return targets.map(([path = '', heading]) => ({
    path: path === '' ? file : join(dirname(file), path),
    heading,
  }));
}

/** The names by which a page's headings are linked, as GitHub makes them. */
function listHeadings(path: string): readonly string[] {
  const headings = read(path)
    .replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
    .matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, text = '']) =>
    text
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
}

/** The pages that a reader finds who begins with README and follows links. */
function listReachable(): ReadonlySet<string> {
  const found = new Set(['README.md']);
  for (const page of found) {
    for (const { path } of listLinks(page))
      if (path.endsWith('.md') && existsSync(join(root, path))) found.add(path);
  }
  return found;
}

describe('a reader', () => {
  test.each(documents)('finds the heading that a link of %s names', (file) => {
    const named = listLinks(file).filter(
      ({ path, heading }) => path.endsWith('.md') && heading !== undefined,
    );
    expect(
      named.filter(({ path, heading }) => !listHeadings(path).includes(heading ?? '')),
    ).toEqual([]);
  });

  test('finds every page by links from README', () => {
    const reachable = listReachable();
    expect(documents.filter((path) => !reachable.has(path))).toEqual([]);
  });

  test.each(documents)('sees every picture of %s', (file) => {
    const named = [...read(file).matchAll(/(?:src|srcset)="([^":]+)"|!\[[^\]]*\]\(([^):]+)\)/g)];
    const paths = named.map(([, source, image]) => join(dirname(file), source ?? image ?? ''));
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test.each(documents)('who cannot see a picture of %s is told what it shows', (file) => {
    const pictures = [...read(file).matchAll(/<img\b[^>]*>|!\[([^\]]*)\]/g)];
    expect(
      pictures.filter(([tag, alt]) => !(alt ?? /alt="([^"]+)"/.exec(tag)?.[1])).map(([tag]) => tag),
    ).toEqual([]);
  });
});
