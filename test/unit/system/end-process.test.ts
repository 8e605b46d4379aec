import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const program = import.meta.resolve('../../../src/system/end-process.ts');

test.each([
  ['endProcess(3)', 3],
  ['process.exitCode = 75; endProcess()', 75],
  ['endProcess()', 0],
])('%s ends a process at once, though its threads wait for a disk', async (act, code) => {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-end-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  // Opening a pipe that nobody writes waits in the kernel, as a disk does that does not answer.
  const pipe = join(directory, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const script = `
    import { open } from 'node:fs';
    import { endProcess } from '${program}';
    open('${pipe}', 'r', () => undefined);
    setTimeout(() => { ${act}; }, 200);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script]);
  onTestFinished(() => void child.kill('SIGKILL'));
  expect(await once(child, 'exit')).toEqual([code, null]);
});
