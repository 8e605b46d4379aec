import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { nftMonitor } from '../../../src/system/nft-monitor.ts';

test.each([
  { installed: ['nft', 'perl'], listens: 'perl -e' },
  { installed: ['nft'], listens: 'nft monitor' },
])('of $installed, $listens listens to the kernel', async ({ installed, listens }) => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-monitor-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await symlink('/bin/sh', join(folder, 'sh'));
  for (const program of installed) {
    const says = `#!/bin/sh\necho "${program} $1"\n`;
    await writeFile(join(folder, program), says, { mode: 0o755 });
  }
  const said = execFileSync('sh', nftMonitor.args, { env: { PATH: folder }, encoding: 'utf8' });
  expect(said.trim()).toBe(listens);
});
