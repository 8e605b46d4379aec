import { spawnSync } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const name = 'test/net/a.test.ts';
const report = (given: object) =>
  JSON.stringify({ passed: [], failed: [], unloaded: [], errorCount: 0, ...given });
const one = [{ file: name, name: 'one' }];
const passes = `echo '${report({ passed: one })}' >>"$TEST_REPORT"`;
const passesElsewhere = passes.replaceAll(name, 'test/unit/b.test.ts');
const fails = `echo '${report({ failed: one })}' >>"$TEST_REPORT"; exit 1`;

/** `.ci/run` with an npm that does as it is told: how it ended, and its last line. */
async function runAll(told: { short?: string; rest?: string; again?: string; check?: string }) {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-verdict-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'node_modules/.bin'), { recursive: true });
  await cp(join(root, '.ci'), join(folder, '.ci'), { recursive: true });
  await cp(join(root, 'test/verdict'), join(folder, 'test/verdict'), { recursive: true });
  await symlink(process.execPath, join(folder, 'node_modules/.bin/node'));
  const npm = join(folder, 'node_modules/.bin/npm');
  const { short = ':', rest = ':', again = ':', check = ':' } = told;
  const script = [
    '#!/bin/sh',
    '[ "$CI" = true ] || exit 9',
    'case "$*" in',
    `test) ${short} ;;`,
    `"run test:full -- rest") ${rest} ;;`,
    `"run test:full -- ${name}") ${again} ;;`,
    `"run check") ${check} ;;`,
    '*) exit 8 ;;',
    'esac',
  ];
  await writeFile(npm, `${script.join('\n')}\n`);
  await chmod(npm, 0o755);
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const { status, stdout, stderr } = spawnSync('bash', [join(folder, '.ci/run')], {
    encoding: 'utf8',
  });
  return { status, last: stdout.trimEnd().split('\n').at(-1), said: stderr };
}

const passed = { short: passesElsewhere, rest: passes };

test.each<readonly [string, Parameters<typeof runAll>[0], number, string]>([
  ['passes where all passed', passed, 0, '2 passed, 0 failed'],
  [
    'passes where a test passes alone',
    { ...passed, rest: fails, again: passes },
    0,
    '2 passed, 0 failed',
  ],
  ['fails where it fails again', { rest: fails, again: fails }, 1, '0 passed, 1 failed'],
  ['fails where it does not run again', { ...passed, rest: fails }, 1, '1 passed, 1 failed'],
  [
    'fails where the checks fail, and the tests pass',
    { ...passed, check: 'exit 1' },
    1,
    '2 passed, 1 failed',
  ],
  [
    'fails where all passed, and a warning was printed',
    { ...passed, rest: `${passes}; echo '(node:7) Warning: too much' >&2` },
    1,
    '2 passed, 1 failed',
  ],
  [
    'fails where a part does not even begin',
    { short: 'exit 69', rest: passes },
    1,
    '1 passed, 1 failed',
  ],
  [
    'fails where a report cannot be read',
    { ...passed, short: 'echo "{" >"$TEST_REPORT"' },
    1,
    '0 passed, 1 failed',
  ],
])('a run of everything %s', async (_, told, status, last) => {
  expect(await runAll(told)).toMatchObject({ status, last });
});

test('a test that passes alone is named as unsteady', async () => {
  const { said } = await runAll({ rest: fails, again: passes });
  expect(said).toContain(`unsteady: ${name} > one\n`);
});
