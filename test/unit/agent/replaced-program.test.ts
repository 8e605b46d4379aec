import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createFailures } from '../../../src/agent/failures.ts';
import { watchProgram } from '../../../src/agent/replaced-program.ts';
import { createLogger } from '../../../src/report/logger.ts';

const missing = Object.assign(new Error("Cannot find module './history-1a2b3c4d.cjs'"), {
  code: 'MODULE_NOT_FOUND',
});

const never = new AbortController().signal;

/** Watches a program's first file, and says whether a missing part would end the agent now. */
async function createProgram(isStartedAgain: boolean) {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-program-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'tributary.cjs');
  await writeFile(path, 'first();\n');
  const program = await watchProgram(path, { isStartedAgain, log: { warn: () => undefined } });
  const ends = async () => {
    await program.noteMissing(missing);
    const goesOn = setImmediate('it goes on');
    return Promise.race([program.untilNeeded(never).catch(() => 'it ends'), goesOn]);
  };
  const replace = async () => {
    await writeFile(`${path}.new`, 'second build();\n');
    await rename(`${path}.new`, path);
  };
  return { ends, path, replace };
}

test('a part is missing where another build took the place of this one: the agent ends for it', async () => {
  const { ends, replace } = await createProgram(true);
  expect(await ends()).toBe('it goes on');
  await replace();
  expect(await ends()).toBe('it ends');
});

test('a part is missing where nobody starts the agent again: it shares on', async () => {
  const { ends, replace } = await createProgram(false);
  await replace();
  expect(await ends()).toBe('it goes on');
});

test('a part is missing where no program is left that could be started: it shares on', async () => {
  const { ends, path } = await createProgram(true);
  await rm(path);
  expect(await ends()).toBe('it goes on');
});

test('of what fails, missing parts alone are asked about', () => {
  const heard: unknown[] = [];
  const log = createLogger(
    { level: 'error', format: 'json' },
    { isTty: false, destination: { write: () => undefined } },
  );
  const failures = createFailures(log, (error) => void heard.push(error));
  failures.note('page', new Error('a bug'));
  expect(failures.missingPart()).toBeUndefined();
  failures.note('page', missing);
  expect(heard).toEqual([missing]);
  expect(failures.missingPart()?.message).toMatch(/is gone, as after an upgrade.*: page\./);
});
