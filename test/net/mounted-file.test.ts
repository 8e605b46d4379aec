import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { setConfigKeys } from '../../src/config/set-key.ts';
import { isInsideLab } from '../../tools/lab/network.ts';

// Namespaces are needed; test/global-setup.ts says aloud that this is left out.
describe.skipIf(!isInsideLab())('a configuration that is mounted on its own', () => {
  it('is left alone by config set, which says what to do', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tributary-mounted-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const path = join(directory, 'tributary.yaml');
    const host = join(directory, 'host.yaml');
    await writeFile(host, 'service:\n  base_url: https://service.example\n');
    await writeFile(path, '');
    execFileSync('mount', ['--bind', host, path]);
    onTestFinished(() => void execFileSync('umount', [path]));

    await expect(
      setConfigKeys(path, [{ key: 'provide.mode', text: 'friends' }]),
    ).rejects.toMatchObject({
      code: 'state-unwritable',
      action: expect.stringContaining('edit it on the host'),
    });
    expect(await readdir(directory)).toEqual(['host.yaml', 'tributary.yaml']);
  });
});
