import { appendFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exec } from '../../../src/system/exec.ts';

export interface RepackOptions {
  readonly from: string;
  readonly to: string;
  readonly version: string;
  /** Changes what is in the package, unpacked in this folder. */
  readonly change: (folder: string) => Promise<void>;
}

/**
 * Makes another package of one that was built: far quicker than building. @throws command-failed
 */
export async function repack({ from, to, version, change }: RepackOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-repack-'));
  const run = (...args: readonly string[]) =>
    exec({ program: 'dpkg-deb', args, doing: 'packing it again', timeoutMs: 120_000 });
  try {
    await run('--raw-extract', from, folder);
    const control = join(folder, 'DEBIAN/control');
    await writeFile(
      control,
      (await readFile(control, 'utf8')).replace(/^Version: .*$/m, `Version: ${version}`),
    );
    await change(folder);
    await run('--root-owner-group', '-Znone', '--build', folder, to);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const sample = 'usr/share/tributary/tributary.yaml';
const conffile = 'etc/tributary/tributary.yaml';

/** The sample as a conffile, as the first packages had it. */
export async function makeSampleConffile(folder: string): Promise<void> {
  await mkdir(join(folder, 'etc/tributary'), { recursive: true });
  await rename(join(folder, sample), join(folder, conffile));
  await writeFile(join(folder, 'DEBIAN/conffiles'), `/${conffile}\n`);
}

/** Another comment in the sample. */
export async function changeSample(folder: string): Promise<void> {
  await appendFile(join(folder, sample), '# A new word about it.\n');
}
