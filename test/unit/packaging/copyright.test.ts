import { describe, expect, test } from 'vitest';
import { type Component, renderCopyright } from '../../../tools/packaging/bill-of-materials.ts';

const node: Component = {
  name: 'node',
  version: '24.0.0',
  licence: 'MIT',
  text: 'Node.js is licensed as follows:\n\n"""\nFree.',
};
const part = (text: string): Component => ({
  name: '@a/part',
  version: '1.0.0',
  licence: 'ISC',
  text,
});
const holdersOf = (text: string) =>
  /^Copyright: ([\s\S]*?)\nLicense: ISC/m.exec(
    renderCopyright(node, [part(text)]).split('node_modules/@a/part/*\n')[1] ?? '',
  )?.[1];

describe('the copyright file', () => {
  test('has a stanza for us, for Node and for each package, with the whole text of its licence', () => {
    const text = renderCopyright(node, [part('Copyright 2020 Ada\n\nPermission is granted.')]);
    expect(text.split('\n').filter((line) => line.startsWith('Files: '))).toEqual([
      'Files: *',
      'Files: usr/lib/tributary/node',
      'Files: node_modules/@a/part/*',
    ]);
    expect(text).toContain(
      'License: Node.js\n Node.js is licensed as follows:\n .\n """\n Free.\n',
    );
    expect(text).toContain(
      'License: ISC\n Copyright 2020 Ada\n .\n Permission is granted.\nComment: @a/part 1.0.0',
    );
  });

  test.each([
    ['Copyright (c) 2020 Ada', '(c) 2020 Ada'],
    ['# Copyright (c) 2020 Ada', '(c) 2020 Ada'],
    ['Copyright Ada <a@b.example>', 'Ada <a@b.example>'],
    ['Copyright (c) 1 A\nCopyright (c) 2 B', '(c) 1 A\n           (c) 2 B'],
    ['The above copyright notice shall be included', 'the authors of @a/part'],
    ['(c) You must retain all copyright notices', 'the authors of @a/part'],
    ['Copyright License. Subject to the terms', 'the authors of @a/part'],
  ])('%j names %j', (text, expected) => {
    expect(holdersOf(text)).toBe(expected);
  });

  test('every line is a field, goes on with one, or is empty', () => {
    const lines = renderCopyright(node, [part('one\n\n\ttwo\n')]).split('\n');
    expect(lines.filter((line) => !/^$|^[A-Z][\w-]+: \S|^ +\S|^ \t/.test(line))).toEqual([]);
  });
});
