import { chmod, chown, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { dropPageSettings } from '../../../src/config/page-settings.ts';
import { findConfigKey } from '../../../src/config/set-key.ts';
import { changeSetting, listSettings, type SettingChange } from '../../../src/config/settings.ts';
import { showKey } from '../../../src/config/show.ts';

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
});

describe('a setting of the page where the agent may not write the file', () => {
  /** As with the package: the file is root's, the state directory is the agent's. */
  async function writeKept(environment: NodeJS.ProcessEnv = {}) {
    const { configPath, read } = await write();
    const folder = dirname(configPath);
    const stateDirectory = await mkdtemp(join(tmpdir(), 'tributary-settings-state-'));
    onTestFinished(async () => {
      await chmod(folder, 0o755);
      await rm(stateDirectory, { recursive: true, force: true });
    });
    await chmod(configPath, 0o444);
    await chmod(folder, 0o555);
    const load = () => loadConfig({ configPath, environment, stateDirectory });
    const isRoot = process.getuid?.() === 0;
    if (isRoot) await chown(stateDirectory, nobody, nobody);
    const change = async (own: SettingChange) => {
      if (isRoot) process.seteuid?.(nobody);
      return changeSetting(await load(), own, environment).finally(() => {
        if (isRoot) process.seteuid?.(0);
      });
    };
    return { configPath, read, load, change, stateDirectory };
  }

  const nobody = 65_534;

  const showOf = async (load: () => ReturnType<typeof loadConfig>, key: string) => {
    const { text, from, place } = showKey(await load(), findConfigKey(key));
    return [text, from, place];
  };

  test('holds over the file, which stays, and says so', async () => {
    const { change, load, read } = await writeKept();
    await change({ key: 'provide.cap.bytes', text: '1 TB' });
    await change({ key: 'provide.schedule', text: '[{cron: "0 8 * * *", mode: none}]' });
    expect(await read()).toBe(sample);
    const { config } = await load();
    expect([config.provide.cap?.bytes, config.provide.schedule?.length]).toEqual([1e12, 1]);
    expect(await showOf(load, 'provide.cap.bytes')).toEqual(['1 TB', 'page', 'set on the page']);
    expect(listSettings(await load())[1]).toMatchObject({ text: '1 TB', from: 'set on the page' });
    expect(await showOf(load, 'provide.mode')).toEqual(['friends', 'file', expect.anything()]);
  });

  test('may take away what the file says, with its section', async () => {
    const { change, load } = await writeKept();
    await change({ key: 'provide.cap.bytes', text: '' });
    expect((await load()).config.provide.cap).toBeUndefined();
    expect(listSettings(await load())[1]).toMatchObject({ text: '', from: 'set on the page' });
  });

  test('is refused before anything is kept where its value is wrong', async () => {
    const { change, stateDirectory } = await writeKept();
    for (const text of ['much', '-1 GB'])
      await expect(change({ key: 'provide.cap.bytes', text })).rejects.toMatchObject({
        code: 'usage-invalid',
      });
    expect(await readdir(stateDirectory)).toEqual([]);
  });

  test('ends where the file says something else of its key later, and not before', async () => {
    const { change, configPath, load } = await writeKept();
    await change({ key: 'provide.cap.bytes', text: '1 TB' });
    await writeFile(configPath, sample.replace('friends', 'network'));
    expect((await load()).config.provide).toMatchObject({ mode: 'network', cap: { bytes: 1e12 } });
    await writeFile(configPath, sample.replace('500 GB', '300 GB'));
    expect((await load()).config.provide.cap?.bytes).toBe(3e11);
  });

  test('is forgotten where a command sets its key, or its section goes', async () => {
    const { change, load, stateDirectory } = await writeKept();
    for (const keys of [['provide.cap.bytes'], ['provide.cap']] as const) {
      await change({ key: 'provide.cap.bytes', text: '1 TB' });
      await dropPageSettings(stateDirectory, ['provide.mode', 'provide.ca']);
      expect((await load()).config.provide.cap?.bytes).toBe(1e12);
      await dropPageSettings(stateDirectory, keys);
      expect((await load()).config.provide.cap?.bytes).toBe(5e11);
    }
    expect(await readdir(stateDirectory)).toEqual([]);
  });

  test('is forgotten where the page sets again what the file says', async () => {
    const { change, stateDirectory } = await writeKept();
    await change({ key: 'provide.mode', text: 'none' });
    expect(await readdir(stateDirectory)).toContain('page-settings.json');
    await change({ key: 'provide.mode', text: 'friends' });
    expect(await readdir(stateDirectory)).toEqual([]);
  });

  test('loses against the environment', async () => {
    const { change, load, configPath, stateDirectory } = await writeKept();
    await change({ key: 'provide.cap.bytes', text: '1 TB' });
    const environment = { TRIBUTARY_PROVIDE_CAP_BYTES: '1 GB' };
    const { config } = await loadConfig({ configPath, environment, stateDirectory });
    expect([config.provide.cap?.bytes, (await load()).config.provide.cap?.bytes]).toEqual([
      1e9, 1e12,
    ]);
  });

  test('keeps the agent from sharing by the file alone where it cannot be read', async () => {
    const { change, load, stateDirectory } = await writeKept();
    await change({ key: 'provide.mode', text: 'none' });
    const path = join(stateDirectory, 'page-settings.json');
    await writeFile(path, (await readFile(path, 'utf8')).replace('none', 'public'));
    await expect(load()).rejects.toThrow(/set on the page.*checksum.*sudo rm/);
  });

  test('works without any file, as in a container', async () => {
    const environment = {
      TRIBUTARY_SERVICE_BASE_URL: 'https://api.example.org',
      TRIBUTARY_STATE_DIR: (await write()).configPath.replace('/tributary.yaml', ''),
    };
    const load = () => loadConfig({ environment });
    await changeSetting(await load(), { key: 'provide.cap.bytes', text: '1 TB' }, environment);
    expect((await load()).config.provide.cap?.bytes).toBe(1e12);
  });
});
