import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { listSysctls } from '../../../src/gateway/sysctls.ts';
import { createRestoreFile } from '../../../src/system/restore-file.ts';
import { createDisk, failWith } from '../../faults/disk.ts';
import { homeDevice } from '../gateway/policy-fixture.ts';

async function prepare() {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-restore-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const said: string[] = [];
  const restore = createRestoreFile(directory, 'restore', (_path, _keptAs, why) => said.push(why));
  const plant = (data: unknown) => {
    const sha256 = createHash('sha256').update(JSON.stringify(data)).digest('hex');
    return writeFile(join(directory, 'restore.json'), JSON.stringify({ version: 1, sha256, data }));
  };
  return { directory, restore, said, plant };
}

test('a setting that leads out of the settings is set aside with all of its document, and said', async () => {
  const { directory, restore, said, plant } = await prepare();
  const victim = join(directory, 'victim');
  await writeFile(victim, '1');
  await plant({ [`net/${relative('/proc/sys/net', victim)}`]: '0' });
  await restore.putBack();
  expect(await readFile(victim, 'utf8')).toBe('1');
  expect(said).toEqual([expect.stringMatching(/^its field net\/.*victim is wrong$/)]);
  expect((await readdir(directory)).sort()).toEqual([
    expect.stringMatching(/^restore\.json\.broken-/),
    'victim',
  ]);
});

test.each([
  'net/core/bpf_jit_harden',
  'net/ipv4/conf/../forwarding',
  'net/ipv4/conf/./forwarding',
  'net/ipv4/conf/eth0/../../forwarding',
  'net/ipv4/conf/eth0/rp_filter',
  'net/ipv4/conf/a-name-of-16-char/forwarding',
  'net/ipv4/ip_forward',
  'net/ipv6/conf/eth0/forwarding',
  'net/ipv6/conf/all/forwarding/..',
  'kernel/core_pattern',
  '../../tmp/victim',
])('%s is not among the settings that are put back', async (path) => {
  const { restore, said, plant } = await prepare();
  await plant({ 'net/ipv4/conf/eth0/forwarding': '0', [path]: '0' });
  expect(await restore.read()).toEqual({});
  expect(said).toHaveLength(1);
  await expect(restore.remember(path, '0')).rejects.toThrow(path);
});

test.each(['ENOSPC', 'EROFS', 'EIO'])(
  'values that a disk with %s does not take are kept in memory and restored all the same',
  async (code) => {
    const { directory, restore } = await prepare();
    using disk = await createDisk(directory);
    disk.meddle(failWith(code));
    await restore.remember('net/ipv4/conf/eth0/forwarding', '0');
    expect(await restore.read()).toEqual({ 'net/ipv4/conf/eth0/forwarding': '0' });
    expect(await readdir(directory)).toEqual([]);
  },
);

test('every lasting setting of the gateway can be put back, whatever its interface is called', async () => {
  const { restore, said } = await prepare();
  const names = ['eth0', 'eth0.10', 'enp0s31f6', 'wlx00c0ca123456', 'br-1a2b3c4d5e6f', 'veth1@if2'];
  const settings = names.flatMap((uplink) =>
    listSysctls({ devices: [homeDevice], uplink }, { hasIpv6: true }),
  );
  const lasting = settings.filter(({ isLasting }) => isLasting).map(({ path }) => path);
  for (const path of lasting) await restore.remember(path, '0');
  await restore.remember('net/ipv4/conf/all/forwarding', '0');
  expect(Object.keys(await restore.read()).sort()).toEqual(
    [...new Set([...lasting, 'net/ipv4/conf/all/forwarding'])].sort(),
  );
  expect(said).toEqual([]);
});

test('settings are restored where the disk does not answer, which is waited for a second', async () => {
  const { directory, restore, plant } = await prepare();
  await plant({ 'net/ipv4/conf/gone9/forwarding': '0' });
  using disk = await createDisk(directory);
  const { promise, resolve } = Promise.withResolvers<void>();
  disk.meddle((act) => (act === 'sync' ? promise : undefined));
  await restore.putBack();
  // A later start restores them once more.
  expect(Object.keys(await restore.read())).toHaveLength(1);
  resolve();
  await expect.poll(() => restore.read()).toEqual({});
});
