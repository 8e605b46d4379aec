import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Lab } from '../../tools/lab/lab.ts';
import { isInsideLab } from '../../tools/lab/network.ts';
import type { LabProcess } from '../../tools/lab/processes.ts';
import { createTestLab, showLogOnFailure } from './support/test-lab.ts';

/** A folder for PATH with an nft that takes its time, as on a small board. */
async function makeSlowNft({ directory }: Lab): Promise<string> {
  const folder = join(directory, 'bin');
  await mkdir(folder);
  await writeFile(
    join(folder, 'nft'),
    `#!/bin/sh\nsleep 1\nPATH='${process.env.PATH}' exec nft "$@"\n`,
  );
  await chmod(join(folder, 'nft'), 0o755);
  return folder;
}

// Namespaces are needed; test/global-setup.ts says aloud that this is left out.
describe.skipIf(!isInsideLab())('a first start', () => {
  let lab: Lab | undefined;
  afterEach(() => lab?.remove());

  it('loses no answer of the service to the fence that comes meanwhile', async (context) => {
    lab = await createTestLab({ id: 'first', profile: 'documented' });
    const { network, service } = lab;
    const slowNft = await makeSlowNft(lab);
    let agent: LabProcess | undefined;
    showLogOnFailure(context, () => agent);
    // The kernel takes a request for it, and the answer comes when the fence has been there for a
    // while.
    service().kill('SIGSTOP');
    agent = lab.startAgent({ PATH: `${slowNft}:${process.env.PATH}` });
    const readTables = () => network.run('device', 'nft', 'list', 'tables');
    await expect.poll(readTables).toContain('table inet tributary\n');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    service().kill('SIGCONT');
    await lab.waitForStatus(({ phase }) => phase === 'providing');
  });
});
