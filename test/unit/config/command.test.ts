import { expect, test } from 'vitest';
import { registerConfig } from '../../../src/cli/config.ts';
import { renderJsonSchema } from '../../../src/config/json-schema.ts';
import { runCommand } from '../cli/run-command.ts';
import { makeFile, withService } from './config-fixture.ts';

const run = (path: string, ...args: readonly string[]) =>
  runCommand(
    (program, context) => {
      program.option('--config <file>').option('--state-dir <directory>');
      registerConfig(program, context);
    },
    '/unused',
    ['--config', path, 'config', ...args],
  );

test('check says ok, after the warnings', async () => {
  expect(await run(makeFile(withService()), 'check')).toMatchObject({ stdout: '<green>ok</green>\n' });
  const { stdout } = await run(makeFile(withService('status: { listen: "0.0.0.0:1" }')), 'check');
  expect(stdout).toMatch(/^<yellow>warning: status\.listen: .*<\/yellow>\n<green>ok<\/green>\n$/);
});

test('check ends with every error, for scripts in one object too', async () => {
  const path = makeFile(withService('log: { level: loud }', 'report: { ledger: 5 }'));
  await expect(run(path, 'check')).rejects.toMatchObject({ code: 'configuration-invalid' });
  await expect(run(path, 'check')).rejects.toThrow(/ledger: found 5.*\n.*level: found "loud"/);
});

test('check --json is one object', async () => {
  const { stdout } = await run(makeFile(withService()), 'check', '--json');
  expect(JSON.parse(stdout)).toEqual({ ok: true, problems: [], warnings: [] });
});

test('show --json has every key with its origin', async () => {
  const path = makeFile(withService('log: { level: warn }'));
  const shown = JSON.parse((await run(path, 'show', '--json')).stdout);
  expect(shown.file).toBe(path);
  expect(shown.keys).toContainEqual({
    key: 'log.level',
    value: 'warn',
    text: 'warn',
    from: 'file',
    place: `${path}:3`,
  });
});

test('show is a tree for people', async () => {
  const { stdout } = await run(makeFile(withService('log: { level: warn }')), 'show');
  expect(stdout).toMatch(/^service\n {2}base_url +https:\/\/service\.example /);
});

test('schema is the one in the repository', async () => {
  expect((await run('/unused', 'schema')).stdout).toBe(renderJsonSchema());
});
