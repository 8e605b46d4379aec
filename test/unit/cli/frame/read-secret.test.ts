import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CommandContext } from '../../../../src/cli/frame/context.ts';
import type { Prompt } from '../../../../src/cli/frame/prompt.ts';
import {
  checkSources,
  readNewPassword,
  readSecret,
} from '../../../../src/cli/frame/read-secret.ts';
import { Secret } from '../../../../src/lib/secret.ts';

/**
 * A command with this on its standard input, or with a person at the terminal who types these
 * answers.
 */
function createContext({
  piped = '',
  typed,
}: {
  readonly piped?: string;
  readonly typed?: readonly string[];
}) {
  const asked: string[] = [];
  const answers = [...(typed ?? [])];
  const prompt: Prompt = {
    askText: async () => '',
    choose: async (_question, offered) => offered,
    confirm: async () => false,
    tell: async () => undefined,
    async askSecret(question) {
      asked.push(question);
      return new Secret(answers.shift() ?? '');
    },
  };
  const context: CommandContext = {
    stdout: { write: () => undefined },
    screen: { write: () => undefined },
    stderr: { write: () => undefined },
    columns: undefined,
    paint: (_style, text) => text,
    now: () => new Date(0),
    prompt: typed === undefined ? undefined : prompt,
    version: '0.0.0',
    typed: [],
    readStandardInput: async () => piped,
    environment: {},
    resolvePlaces: async () => ({ socketPaths: [], onlyOf: undefined }),
    setExitCode: () => undefined,
  };
  return { context, asked };
}

function writeTemporary(text: string | Uint8Array): string {
  const directory = mkdtempSync(join(tmpdir(), 'tributary-secret-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, 'secret');
  writeFileSync(path, text);
  return path;
}

const code = { name: 'reset code', file: undefined, option: '--code-file' };
const password = {
  name: 'new password',
  file: undefined,
  option: '--password-file',
  isPassword: true,
};

describe('a secret', () => {
  test('is asked for at a terminal', async () => {
    const { context, asked } = createContext({ piped: 'from the pipe', typed: [' -abc '] });
    expect((await readSecret(code, context)).reveal()).toBe('-abc');
    expect(asked).toEqual(['Reset code']);
  });

  test.each([
    ['standard input where nobody is', { piped: 'a-code\n' }, undefined],
    ['standard input where that is said', { piped: ' a-code \r\n', typed: ['typed'] }, '-'],
  ])('comes from %s', async (_, given, file) => {
    const { context, asked } = createContext(given);
    expect((await readSecret({ ...code, file }, context)).reveal()).toBe('a-code');
    expect(asked).toEqual([]);
  });

  test('comes from a file, at a terminal or not', async () => {
    const { context, asked } = createContext({ piped: 'piped', typed: ['typed'] });
    const file = writeTemporary('\n a-code\n\n');
    expect((await readSecret({ ...code, file }, context)).reveal()).toBe('a-code');
    expect(asked).toEqual([]);
  });

  test.each([
    ['  blanks around it \n', '  blanks around it '],
    ['two lines\n\n', 'two lines\n'],
    ['of Windows\r\n', 'of Windows'],
    [' ', ' '],
  ])('is a password as it is, without the last line end: %j', async (text, expected) => {
    const { context } = createContext({ piped: text });
    expect((await readSecret(password, context)).reveal()).toBe(expected);
    expect((await readSecret({ ...password, file: writeTemporary(text) }, context)).reveal()).toBe(
      expected,
    );
  });

  test.each<[string, { readonly piped?: string; readonly typed?: readonly string[] }, string]>([
    [
      'standard input',
      { piped: ' \n' },
      'reading the reset code: standard input is empty; give it there or in --code-file',
    ],
    ['a prompt', { typed: [' '] }, 'reading the reset code: what was typed is empty'],
  ])('is missing where %s holds none', async (_, given, message) => {
    const { context } = createContext(given);
    await expect(readSecret(code, context)).rejects.toMatchObject({
      code: 'usage-invalid',
      message: expect.stringContaining(message),
    });
  });

  test.each<[string, () => string, RegExp]>([
    ['is empty', () => writeTemporary('\n'), /secret is empty; give it there or in --code-file/],
    [
      'is not there',
      () => '/nowhere/secret',
      /reading the reset code from \/nowhere\/secret: there is no such file$/,
    ],
    ['is too long', () => writeTemporary('x'.repeat(20_000)), /larger than 16 KiB/],
    ['is no text', () => writeTemporary(Uint8Array.of(0xff, 0xfe)), /not UTF-8/],
  ])('is missing where its file %s', async (_, create, message) => {
    const { context } = createContext({});
    await expect(readSecret({ ...code, file: create() }, context)).rejects.toMatchObject({
      code: 'usage-invalid',
      message: expect.stringMatching(message),
    });
  });
});

describe('a new password', () => {
  test('is typed twice', async () => {
    const { context, asked } = createContext({ typed: ['in the dark', 'in the dark'] });
    expect((await readNewPassword(password, context)).reveal()).toBe('in the dark');
    expect(asked).toEqual(['New password', 'New password, once more']);
  });

  test('is refused where the two differ, without being shown', async () => {
    const { context } = createContext({ typed: ['in the dark', 'in the drak'] });
    const read = readNewPassword(password, context);
    await expect(read).rejects.toMatchObject({
      code: 'usage-invalid',
      message: expect.not.stringMatching(/dark|drak/),
    });
  });

  test('is read only once where it is not typed', async () => {
    const { context, asked } = createContext({ typed: ['typed'] });
    const file = writeTemporary('in a file\n');
    expect((await readNewPassword({ ...password, file }, context)).reveal()).toBe('in a file');
    expect(
      (await readNewPassword(password, createContext({ piped: 'piped' }).context)).reveal(),
    ).toBe('piped');
    expect(asked).toEqual([]);
  });
});

describe('standard input', () => {
  const inFile = '/etc/hostname';

  test.each<
    [string, string | undefined, string | undefined, readonly string[] | undefined, boolean]
  >([
    ['two from prompts', undefined, undefined, ['a', 'b'], true],
    ['two from files', inFile, inFile, undefined, true],
    ['one from it and one from a file', '-', inFile, undefined, true],
    ['one from it, one from a prompt', '-', undefined, ['b'], true],
    ['one from it because nobody is there', undefined, inFile, undefined, true],
    ['both from it', '-', '-', ['a', 'b'], false],
    ['both from it because nobody is there', undefined, undefined, undefined, false],
    ['one said, the other because nobody is there', '-', undefined, undefined, false],
  ])('holds one secret: %s', (_, codeFile, passwordFile, typed, isAllowed) => {
    const { context } = createContext(typed === undefined ? {} : { typed });
    const check = () =>
      checkSources(
        [
          { ...code, file: codeFile },
          { ...password, file: passwordFile },
        ],
        context,
      );
    if (isAllowed) expect(check).not.toThrow();
    else
      expect(check).toThrow(
        /standard input holds one of them alone; give the other by --code-file FILE or --password-file FILE$/,
      );
  });
});
