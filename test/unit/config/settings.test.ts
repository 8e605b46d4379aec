import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
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

  test('that goes leaves the rest of its section in the file', async () => {
    const { change, load, read, configPath } = await write();
    const whole = `${sample}    period: week # as the provider counts\n    reset_day: 3\n`;
    await writeFile(configPath, whole);
    await change({ key: 'provide.cap.bytes', text: '' });
    expect([await read(), (await load()).config.provide.cap]).toEqual([whole, undefined]);
    await change({ key: 'provide.cap.bytes', text: '1 TB' });
    expect((await load()).config.provide.cap).toMatchObject({ bytes: 1e12, period: 'week' });
    expect(await read()).toBe(whole.replace('500 GB', '1 TB'));
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

const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
/** In a namespace whose one user is root, there is nobody else to be. */
const users = Number(readFileSync('/proc/self/uid_map', 'utf8').trim().split(/\s+/)[2]);
const mayBeNobody = isRoot && users > nobody;

/** As `seteuid` does it for commands without sudo. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  if (mayBeNobody) process.seteuid?.(nobody);
  return work().finally(() => {
    if (mayBeNobody) process.seteuid?.(0);
  });
}

/** Root writes whatever its mode is, unless the file system refuses. */
function keepFromWriting(folder: string): void {
  execFileSync('mount', ['--bind', folder, folder]);
  onTestFinished(() => void execFileSync('umount', [folder]));
  remount(folder, 'ro');
}

function remount(folder: string, how: 'ro' | 'rw'): void {
  execFileSync('mount', ['-o', `remount,bind,${how}`, folder]);
}

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
    if (mayBeNobody) await chown(stateDirectory, nobody, nobody);
    else if (isRoot) keepFromWriting(folder);
    const change = async (own: SettingChange) =>
      asNobody(async () => changeSetting(await load(), own, environment));
    /** As the owner does, with sudo. */
    const edit = async (text: string) => {
      if (isRoot && !mayBeNobody) remount(folder, 'rw');
      await writeFile(configPath, text);
      if (isRoot && !mayBeNobody) remount(folder, 'ro');
    };
    return { configPath, read, load, change, edit, stateDirectory };
  }

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
    const { change, edit, load } = await writeKept();
    await change({ key: 'provide.cap.bytes', text: '1 TB' });
    await edit(sample.replace('friends', 'network'));
    expect((await load()).config.provide).toMatchObject({ mode: 'network', cap: { bytes: 1e12 } });
    await edit(sample.replace('500 GB', '300 GB'));
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

  const settingsIn = (directory: string) => join(directory, 'page-settings.json');

  test.skipIf(isRoot && !mayBeNobody)(
    'that the agent may not read keeps it from sharing, and from saving another',
    async () => {
      const { change, load, stateDirectory } = await writeKept();
      await change({ key: 'provide.mode', text: 'none' });
      const loaded = await load();
      const path = settingsIn(stateDirectory);
      if (isRoot) await chown(path, 0, 0);
      await chmod(path, isRoot ? 0o600 : 0);
      await expect(asNobody(load)).rejects.toThrow(/set on the page.*EACCES.*sudo rm/);
      const next = { key: 'provide.mode', text: 'network' };
      await expect(asNobody(() => changeSetting(loaded, next, {}))).rejects.toMatchObject({
        code: 'state-unwritable',
      });
      await chmod(path, 0o600);
      expect(await readFile(path, 'utf8')).toContain('none');
    },
  );

  test.skipIf(!mayBeNobody)('is a warning for a user whose directory it is not', async () => {
    const { change, load, stateDirectory } = await writeKept();
    await change({ key: 'provide.mode', text: 'none' });
    const loaded = await load();
    for (const own of [settingsIn(stateDirectory), stateDirectory]) await chown(own, 0, 0);
    await chmod(stateDirectory, 0o755);
    expect((await asNobody(load)).warnings).toContain(
      'whether something was set on the page is not seen here: use sudo',
    );
    const next = { key: 'provide.mode', text: 'network' };
    await expect(asNobody(() => changeSetting(loaded, next, {}))).rejects.toThrow(/not seen here/);
  });

  test('is none of another key, whoever wrote it there', async () => {
    const { change, load, stateDirectory } = await writeKept();
    await change({ key: 'provide.mode', text: 'none' });
    const path = settingsIn(stateDirectory);
    const { data } = JSON.parse(await readFile(path, 'utf8'));
    const over = createHash('sha256').update('').digest('base64url').slice(0, 16);
    data.settings.push({ key: 'gateway.allow_destinations', text: '[10.0.0.0/8]', over });
    const sha256 = createHash('sha256').update(JSON.stringify(data)).digest('hex');
    await writeFile(path, JSON.stringify({ version: 1, sha256, data }));
    const { config, warnings } = await load();
    expect([config.provide.mode, config.gateway.allow_destinations]).toEqual(['none', []]);
    expect(warnings).toContainEqual(expect.stringMatching(/sets keys that the page cannot/));
  });

  test('is not lost where another one is set at the same time', async () => {
    const { configPath } = await write();
    const environment = {
      TRIBUTARY_SERVICE_BASE_URL: 'https://api.example.org',
      TRIBUTARY_STATE_DIR: dirname(configPath),
    };
    const loaded = await loadConfig({ environment });
    const changes = [
      { key: 'provide.mode', text: 'none' },
      { key: 'provide.cap.bytes', text: '1 TB' },
      { key: 'provide.rate_limit.line', text: '5 Mbit' },
    ];
    await Promise.all(changes.map((change) => changeSetting(loaded, change, environment)));
    expect((await loadConfig({ environment })).config.provide).toMatchObject({
      mode: 'none',
      cap: { bytes: 1e12 },
      rate_limit: { line: 5e6 },
    });
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
