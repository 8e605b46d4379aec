import { expect, test } from 'vitest';
import { commentRules } from './comment-rules.ts';
import { describeRules } from './describe-rules.ts';
import { parseModule, readModules } from './module-graph.ts';

const root = new URL('../..', import.meta.url).pathname;
const modules = ['src', 'tools', 'test'].flatMap((folder) => readModules(root, folder));

describeRules(commentRules, { where: 'src, tools and test', modules });

test('comments are read from every folder', () => {
  const commented = modules.filter(({ comments }) => comments.length > 0);
  expect(commented.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['src/lib/errors.ts', 'tools/lab/lab.ts', 'test/hard-words.ts']),
  );
});

test.each([
  ['a doc on one line', '/** Delay in ms. */', 1, 'Delay in ms.'],
  ['a doc of several lines', '\n/**\n * Delay\n * in ms.\n */', 2, 'Delay in ms.'],
  ['lines that follow each other', 'let a = 1;\n  // Delay\n  // in ms.', 2, 'Delay in ms.'],
  ['a comment behind code', 'let a = 1; // In ms.', 1, 'In ms.'],
])('%s is one comment', (_, code, line, text) => {
  expect(parseModule('src/lib/a.ts', code).comments).toMatchObject([{ line, text }]);
});

test('a comment behind code is another than the lines below it', () => {
  const { comments } = parseModule('src/lib/a.ts', 'let a = 1; // In ms.\n// Delay.');
  expect(comments).toMatchObject([{ text: 'In ms.' }, { text: 'Delay.' }]);
});
