import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exec } from '../../src/system/exec.ts';
import { makePackage } from './support/packages.ts';

/* The packages as they are handed out. */
describe.each(['amd64', 'arm64'] as const)('the package for %s', (architecture) => {
  let directory: string;
  let path: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tributary-verdict-'));
    path = await makePackage({ architecture, version: '1.0.0', to: directory, compression: 'xz' });
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('is small enough for a slow line', async () => {
    expect((await stat(path)).size).toBeLessThan(32e6);
  });

  it('gives lintian nothing to say that is not answered in the overrides, and every answer is needed', async () => {
    const level = ['--fail-on', 'none', '--display-level', '>=info', '--tag-display-limit', '0'];
    const args = ['--allow-root', ...level, path];
    const said = await exec({ program: 'lintian', args, doing: 'lintian', timeoutMs: 300_000 });
    // An answer that fits nothing is told as information, among much that is of no use.
    expect(said.split('\n').filter((line) => /^[EW]:|^I: \S+ \w+-override /.test(line))).toEqual(
      [],
    );
  });
});
