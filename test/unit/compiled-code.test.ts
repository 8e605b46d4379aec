import { hash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { exec } from '../../src/system/exec.ts';

const module = join(import.meta.dirname, '../../src/compiled-code.ts');
const one = `exports.say = () => 'one'; exports.rest = [__dirname, require('node:path').sep, typeof module.require];\n`;
const two = one.replace(`'one'`, `'two'`);

/** A folder with a file of a program, and Nodes that load it. */
async function createProgram() {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-compiled-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const file = join(directory, 'chunk.cjs');
  await writeFile(file, one);
  const load = async ({ isKept = false, flags = [] as readonly string[] } = {}) => {
    const text = `import { createRequire } from 'node:module'; import { useCompiledCode } from '${module}';
      useCompiledCode({ isKept: ${isKept} });
      const { say, rest } = createRequire('${directory}/')('./chunk.cjs');
      process.stdout.write(JSON.stringify([say(), ...rest]));`;
    const args = [...flags, '--input-type=module', '--eval', text];
    const [said, ...rest] = JSON.parse(
      await exec({ program: process.execPath, args, doing: 'loading' }),
    );
    expect(rest).toEqual([directory, '/', 'function']);
    return said;
  };
  return { file, compiled: `${file}.compiled`, load };
}

/** The code of one text, under the hash of another that is as long. */
async function misdirect({
  file,
  compiled,
}: Awaited<ReturnType<typeof createProgram>>): Promise<void> {
  const code = (await readFile(compiled)).subarray(20);
  await writeFile(file, two);
  await writeFile(
    compiled,
    Buffer.concat([hash('sha1', Buffer.concat([Buffer.from(two), code]), 'buffer'), code]),
  );
}

test('a file of the program runs from its text, until its code is kept', async () => {
  const { load, compiled } = await createProgram();
  expect(await load()).toBe('one');
  await expect(readFile(compiled)).rejects.toThrow('ENOENT');
  expect(await load({ isKept: true })).toBe('one');
  expect((await readFile(compiled)).length).toBeGreaterThan(100);
  expect(await load()).toBe('one');
});

test('it runs from the code that was kept', async () => {
  const program = await createProgram();
  await program.load({ isKept: true });
  await misdirect(program);
  // No honest way leads here: it shows that the text is not what runs.
  expect(await program.load()).toBe('one');
});

test('it runs from its text where the code was made for other flags', async () => {
  const program = await createProgram();
  await program.load({ isKept: true });
  await misdirect(program);
  expect(await program.load({ flags: ['--no-opt'] })).toBe('two');
});

test.each<readonly [string, (file: Buffer) => Buffer]>([
  ['is of another text', (file) => file],
  ['is empty', () => Buffer.alloc(0)],
  ['is cut short', (file) => file.subarray(0, -1)],
  ['is too long', (file) => Buffer.concat([file, Buffer.from([0])])],
  ['is all zeros', (file) => Buffer.alloc(file.length)],
  ['has no code behind its hash', (file) => file.subarray(0, 20)],
  [
    'was changed by a bit',
    (file) => file.map((byte, index) => (index === file.length - 9 ? byte ^ 4 : byte)) as Buffer,
  ],
])('it runs from its text where the code %s', async (_claim, change) => {
  const { load, file, compiled } = await createProgram();
  await load({ isKept: true });
  await writeFile(file, two);
  await writeFile(compiled, change(await readFile(compiled)));
  expect(await load()).toBe('two');
});
