import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createWakeups } from '../../../../src/agent/run-loop.ts';
import { openState } from '../../../../src/agent/state.ts';
import { createTell } from '../../../../src/agent/tell/create-tell.ts';
import { configSchema } from '../../../../src/config/schema.ts';
import { createLogger } from '../../../../src/report/logger.ts';
import { profiles } from '../../../../src/service/profiles.ts';

test('events that cannot be written keep neither the stop nor the ledger from its end', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-tell-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const config = configSchema.parse({ service: { base_url: 'https://service.example' } });
  const now = () => new Date();
  const onSetAside = () => undefined;
  const opened = await openState({ config, directory, onSetAside, now });
  const lines: string[] = [];
  const tell = await createTell({
    config,
    opened,
    directory,
    onSetAside,
    now,
    wakeups: createWakeups(),
    client: { call: () => Promise.reject(new Error('no service')) },
    profile: profiles.documented,
    facts: opened.facts,
    log: createLogger(config.log, {
      isTty: false,
      destination: { write: (line) => void lines.push(line) },
    }),
    random: () => 0.5,
  });
  opened.usage.take({ up: { packets: 1, bytes: 9 }, down: { packets: 0, bytes: 0 } });
  await opened.usage.keep();
  // A folder has the name, so that no file can take it.
  await mkdir(join(directory, 'events.json', 'full'), { recursive: true });
  await expect(tell.close()).resolves.toBeUndefined();
  expect(await readdir(join(directory, 'ledger'))).toHaveLength(1);
  expect(lines.join()).not.toContain('the ledger is not kept');
});
