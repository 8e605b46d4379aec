import {
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { setConfigKeys } from '../../../src/config/set-key.ts';

test('several at once each write their key, and leave nothing beside the file', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-link-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const path = join(directory, 'tributary.yaml');
  await writeFile(path, 'service:\n  base_url: https://service.example\n');
  const changes = [
    ['provide.mode', 'friends'],
    ['provide.cap.bytes', '500 GB'],
    ['gateway.blocked_ports', '25, 465'],
    ['log.level', 'warn'],
    ['device.description', 'attic'],
  ] as const;
  await Promise.all(changes.map(([key, text]) => setConfigKeys(path, [{ key, text }])));
  const text = await readFile(path, 'utf8');
  for (const [key, value] of changes) {
    expect(text).toMatch(new RegExp(`${key.split('.').at(-1)}:`));
    expect(text).toContain(value.split(',')[0]);
  }
  expect(await readdir(directory)).toEqual(['tributary.yaml']);
});

test.each([
  ['in the same folder', 'tributary.yaml', 'real.yaml'],
  ['of another link', 'first.yaml', 'tributary.yaml'],
])('a link to a file %s stays a link, and the file has the value', async (_claim, name, target) => {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-link-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  await mkdir(join(directory, 'far'));
  const real = join(directory, name === 'first.yaml' ? 'far/real.yaml' : 'real.yaml');
  await writeFile(real, 'service:\n  base_url: https://service.example\n');
  await symlink(target, join(directory, name));
  if (name === 'first.yaml') await symlink('far/real.yaml', join(directory, target));

  await setConfigKeys(join(directory, name), [{ key: 'provide.mode', text: 'friends' }]);

  expect(await readlink(join(directory, name))).toBe(target);
  expect((await lstat(real)).isFile()).toBe(true);
  expect(await readFile(real, 'utf8')).toMatch(/mode: friends/);
});
