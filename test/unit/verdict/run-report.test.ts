import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseReports } from '../../verdict/run-report.ts';

const root = join(import.meta.dirname, '../../..');

const files = {
  'mixed.test.js': `
    describe('a group', () => {
      test('holds', () => {});
      test('does not hold', () => { throw new Error('no'); });
      test.skipIf(true)('is left out', () => {});
    });`,
  'hooks.test.js': `
    describe('a group', () => {
      beforeAll(() => { throw new Error('no'); });
      test('is kept from running', () => {});
    });`,
  'unloaded.test.js': "import './that-is-not-there.js'; test('never runs', () => {});",
  'errors.test.js': "test('holds', () => { setTimeout(() => { throw new Error('late'); }); });",
};

test('the report on a run names what passed and what failed, and what did not even begin', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-verdict-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const config = `
    import { createRunReporter } from '${root}/test/verdict/run-report.ts';
    export default { test: { globals: true, reporters: [createRunReporter('report')] } };`;
  await writeFile(join(folder, 'vitest.config.js'), config);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const run = () =>
    spawnSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run'], {
      cwd: folder,
      encoding: 'utf8',
    });
  const { status } = run();
  const [report, ...more] = parseReports(await readFile(join(folder, 'report'), 'utf8'));
  expect(more).toEqual([]);
  expect(status).toBe(1);
  const byFile = (tests: readonly { readonly file: string }[] = []) =>
    tests.toSorted((one, other) => one.file.localeCompare(other.file));
  expect(byFile(report?.passed)).toEqual([
    { file: 'errors.test.js', name: 'holds' },
    { file: 'mixed.test.js', name: 'a group > holds' },
  ]);
  expect(byFile(report?.failed)).toEqual([
    { file: 'hooks.test.js', name: 'the hooks of a group' },
    { file: 'mixed.test.js', name: 'a group > does not hold' },
  ]);
  expect(report?.unloaded).toEqual(['unloaded.test.js']);
  expect(report?.errorCount).toBe(1);
});
