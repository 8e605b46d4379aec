import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { TributaryError } from '../../../src/errors/codes.ts';
import { forgetArguments, forgetOnHost, forgetOnRequest } from '../../../src/namespace/forget.ts';
import type { Exec } from '../../../src/system/exec.ts';
import { askToForget } from '../../../src/system/host-request.ts';
import { waitUntil } from '../../patience.ts';

test('the host forgets whenever it is asked', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-forget-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const run: string[] = [];
  const exec: Exec = async ({ program, args }) => {
    run.push([program, ...args].join(' '));
    return '';
  };
  const once = ['conntrack', ...forgetArguments].join(' ');
  using _forgetting = forgetOnRequest(exec, folder);
  await askToForget(folder);
  await waitUntil(() => expect(run).toEqual([once]));
  await askToForget(folder);
  await waitUntil(() => expect(run).toEqual([once, once]));
});

test('a host without the program, or without a connection to forget, goes on', async () => {
  for (const code of ['missing-program', 'command-failed'] as const)
    await forgetOnHost(async () => {
      throw new TributaryError(code, 'no');
    });
});

test('an agent whose folder is gone goes on', async () => {
  await askToForget('/nonexistent/tributary');
});
