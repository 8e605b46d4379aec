import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { renderSampleConfig } from '../../../tools/packaging/release.ts';
import { makeDirectory } from '../reference-caller.ts';

/** The program of a device on which the package was just installed. */
function run(more: string, ...words: readonly string[]) {
  const directory = makeDirectory();
  const file = join(directory, 'tributary.yaml');
  writeFileSync(
    file,
    `${renderSampleConfig(readFileSync('config/tributary.yaml', 'utf8'))}${more}`,
  );
  const paths = ['--config', file, '--state-dir', join(directory, 'state')];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['src/tributary.ts', ...paths, ...words],
    { encoding: 'utf8', env: { PATH: process.env.PATH, HOME: '/nowhere' } },
  );
  return { exitCode: status, told: `${stdout}${stderr}`.replaceAll(file, 'FILE') };
}

describe('before a device is set up', () => {
  test.each([['status'], ['stats'], ['device', 'list'], ['login']])(
    '%s says how to set it up, and nothing else',
    (...words) => {
      expect(run('', ...words)).toEqual({
        exitCode: 78,
        told: 'tributary: this device is not set up yet\n  > Set this device up: tributary setup --config FILE\n',
      });
    },
  );

  test('doctor says it first, and nothing that is not known yet', () => {
    const { exitCode, told } = run('', 'doctor');
    expect(exitCode).toBe(1);
    expect(told).toMatch(/^ *FAIL +Configuration +this device is not set up yet$/m);
    expect(told).toMatch(/> tributary setup --config FILE$/m);
    expect(told).not.toMatch(/SKIP|PASS/);
  });

  test('config check names the line', () => {
    const { exitCode, told } = run('', 'config', 'check');
    expect(exitCode).toBe(78);
    expect(told).toMatch(/FILE:\d+: service\.base_url: missing/);
    expect(told).toMatch(/> Set this device up: /);
  });

  test('a mistake in the file is told as one', () => {
    const { told } = run('mistake: 1\n', 'status');
    expect(told).toContain('mistake: unknown key');
    expect(told).not.toContain('not set up');
  });
});
