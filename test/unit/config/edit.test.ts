import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { editConfig } from '../../../src/cli/commands/set-up/config-edit.ts';
import type { Prompt } from '../../../src/cli/frame/prompt.ts';
import { createContext } from '../cli/run-command.ts';
import { makeFile, withService } from './config-fixture.ts';

/** What was refused is kept, beyond the command. */
const removeLater = (copy: string) => onTestFinished(() => rmSync(copy, { force: true }));

/** An owner who writes these texts, one at each opening, and then answers so. */
function edit(path: string, texts: readonly string[], answer?: 'edit' | 'leave') {
  const opened: { program: string; copy: string; found: string }[] = [];
  const written = [...texts];
  const editor = async (program: string, args: readonly string[]) => {
    const copy = args.at(-1) ?? '';
    removeLater(copy);
    opened.push({ program, copy, found: readFileSync(copy, 'utf8') });
    const text = written.shift();
    if (text !== undefined) writeFileSync(copy, text);
    return 0;
  };
  const { context } = createContext('/nowhere');
  const prompt = answer && ({ choose: async () => answer } as unknown as Prompt);
  const environment = { VISUAL: 'my-editor --wait', EDITOR: 'another' };
  const editing = editConfig({ config: path }, { ...context, prompt, environment }, editor);
  return { editing, opened };
}

describe('config edit', () => {
  const before = withService();
  const after = withService('log: { level: debug }');
  const broken = withService('log: { level: loud }');

  test('replaces the file by what is right, and leaves no copy', async () => {
    const path = makeFile(before);
    chmodSync(path, 0o640);
    const { editing, opened } = edit(path, [after]);
    expect(await editing).toBe(path);
    expect(readFileSync(path, 'utf8')).toBe(after);
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(opened).toMatchObject([{ program: 'my-editor', found: before }]);
    expect(existsSync(opened[0]?.copy ?? '')).toBe(false);
  });

  test('changes nothing where nothing was written', async () => {
    const path = makeFile(before);
    const { editing, opened } = edit(path, [before]);
    expect(await editing).toBeUndefined();
    expect(existsSync(opened[0]?.copy ?? '')).toBe(false);
  });

  test('opens what was refused again, as the owner left it', async () => {
    const path = makeFile(before);
    const { editing, opened } = edit(path, [broken, after], 'edit');
    expect(await editing).toBe(path);
    expect(opened.map(({ found }) => found)).toEqual([before, broken]);
    expect(readFileSync(path, 'utf8')).toBe(after);
  });

  test.each(['leave', undefined] as const)(
    'keeps what was refused, and says where: %s',
    async (answer) => {
      const path = makeFile(before);
      const { editing, opened } = edit(path, [broken], answer);
      const error = await editing.catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        code: 'configuration-invalid',
        action: `What you wrote is in ${opened[0]?.copy}`,
      });
      expect(readFileSync(path, 'utf8')).toBe(before);
      expect(readFileSync(opened[0]?.copy ?? '', 'utf8')).toBe(broken);
    },
  );

  test('overwrites nothing that another program changed meanwhile', async () => {
    const path = makeFile(before);
    const { context } = createContext('/nowhere');
    const editor = async (_: string, args: readonly string[]) => {
      writeFileSync(path, broken);
      const copy = args.at(-1) ?? '';
      removeLater(copy);
      writeFileSync(copy, after);
      return 0;
    };
    const editing = editConfig({ config: path }, context, editor);
    await expect(editing).rejects.toMatchObject({ code: 'configuration-invalid' });
    expect(readFileSync(path, 'utf8')).toBe(broken);
  });
});
