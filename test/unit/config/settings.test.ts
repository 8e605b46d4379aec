import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { changeSetting, listSettings, type SettingChange } from '../../../src/config/settings.ts';

const sample = `# mine
service:
  base_url: https://api.example.org # where
provide:
  mode: friends
  cap:
    bytes: 500 GB
`;

async function write(environment: NodeJS.ProcessEnv = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-settings-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const configPath = join(directory, 'tributary.yaml');
  await writeFile(configPath, sample);
  const load = () => loadConfig({ configPath, environment, stateDirectory: directory });
  return {
    configPath,
    load,
    change: async (change: SettingChange) => changeSetting(await load(), change, environment),
    read: () => readFile(configPath, 'utf8'),
  };
}

describe('a setting that the page may change', () => {
  test('is listed as the owner wrote it, and empty where it is not set', async () => {
    const { load, change } = await write();
    await change({ key: 'provide.schedule', text: '[{cron: "0 8 * * *", mode: none}]' });
    expect(
      Object.fromEntries(listSettings(await load()).map(({ key, text }) => [key, text])),
    ).toEqual({
      'provide.mode': 'friends',
      'provide.cap.bytes': '500 GB',
      'provide.rate_limit.line': '',
      'provide.schedule': expect.stringContaining('"cron": "0 8 * * *"'),
    });
  });

  test('what is listed can be given back', async () => {
    const { load, change } = await write();
    await change({ key: 'provide.schedule', text: '[{cron: "0 8 * * *", mode: none}]' });
    const { provide } = (await load()).config;
    for (const { key, text } of listSettings(await load()))
      if (text !== '') await change({ key, text });
    expect((await load()).config.provide).toEqual(provide);
  });

  test('is taken out of the file by an empty text', async () => {
    const { change, load } = await write();
    await change({ key: 'provide.cap.bytes', text: '' });
    expect((await load()).config.provide.cap).toBeUndefined();
  });

  test('changes its own line alone', async () => {
    const { change, read } = await write();
    await change({ key: 'provide.cap.bytes', text: '1 TB' });
    expect(await read()).toBe(sample.replace('500 GB', '1 TB'));
  });

  test.each([
    ['provide.mode', 'everyone', 'provide.mode: found "everyone"'],
    ['provide.cap.bytes', 'much', 'provide.cap.bytes: found "much"'],
    ['provide.rate_limit.line', 'fast', 'provide.rate_limit.line: found "fast"'],
    ['provide.schedule', '[{cron: "61 8 * * *", mode: none}]', 'cron'],
    ['service.base_url', 'https://evil.example', 'is not for the page to change'],
    ['gateway.allow_destinations', '[10.0.0.0/8]', 'is not for the page to change'],
    ['provide.schedule', 'at night', 'provide.schedule: found "at night"'],
  ] as const)('%s refuses %s and leaves the file as it was', async (key, text, message) => {
    const { change, read } = await write();
    await expect(change({ key, text })).rejects.toThrow(message);
    expect(await read()).toBe(sample);
  });

  test('that the environment sets is refused by the name of its variable', async () => {
    const { change, load, read } = await write({ TRIBUTARY_PROVIDE_CAP_BYTES: '1 GB' });
    expect(listSettings(await load())[1]).toMatchObject({
      text: '1 GB',
      overruledBy: 'TRIBUTARY_PROVIDE_CAP_BYTES',
    });
    await expect(change({ key: 'provide.cap.bytes', text: '2 GB' })).rejects.toThrow(
      /^TRIBUTARY_PROVIDE_CAP_BYTES sets it/,
    );
    expect(await read()).toBe(sample);
  });

  test('that the agent may not write names the command, after the value is checked', async () => {
    // Nobody can make a file there, root neither.
    const kept = {
      file: '/proc/tributary.yaml',
      originOf: () => ({ kind: 'default', place: undefined }) as const,
    };
    await expect(
      changeSetting(kept, { key: 'provide.cap.bytes', text: 'much' }, {}),
    ).rejects.toMatchObject({ code: 'usage-invalid' });
    await expect(
      changeSetting(kept, { key: 'provide.cap.bytes', text: '1 TB' }, {}),
    ).rejects.toMatchObject({
      code: 'not-allowed',
      action: "sudo tributary config set provide.cap.bytes '1 TB'",
    });
  });
});
