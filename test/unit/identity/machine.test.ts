import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasMoved, readMachine, settleOn } from '../../../src/identity/load.ts';
import type { Identity, PendingCreate } from '../../../src/identity/registration-files.ts';
import { createDisk, identity, pending } from './fake-service.ts';

const id = '0123456789abcdef0123456789abcdef';
const machineId = 'etc/machine-id';
const serial = 'sys/firmware/devicetree/base/serial-number';

/** The root of a machine with these files; systemd has started it. */
async function createRoot(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'tributary-machine-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await mkdir(join(root, 'run/systemd/system'), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}

describe('a machine', () => {
  test('is known by marks that hold neither its id nor its serial number, and stay the same', async () => {
    const root = await createRoot({ [machineId]: `${id}\n`, [serial]: '10000000aBcDeF01\0' });
    const machine = await readMachine(root);
    expect(machine).toEqual({
      'machine-id': expect.stringMatching(/^[0-9a-f]{64}$/),
      board: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(JSON.stringify(machine)).not.toMatch(new RegExp(`${id}|10000000aBcDeF01`, 'i'));
    expect(await readMachine(root)).toEqual(machine);
    await writeFile(join(root, machineId), `${id.replace('0', '1')}\n`);
    expect(hasMoved({ machine }, await readMachine(root))).toBe(true);
  });

  test.each<[string, Readonly<Record<string, string>>]>([
    ['no files', {}],
    ['empty ones', { [machineId]: '', [serial]: '' }],
    ['one that systemd has yet to fill', { [machineId]: 'uninitialized\n' }],
    ['nothing but zeros', { [machineId]: '0'.repeat(32), [serial]: '0000000000000000\0' }],
    ['an id that is cut short', { [machineId]: id.slice(1) }],
    ['two ids', { [machineId]: `${id}\n${id}\n` }],
    ['an id of other letters', { [machineId]: id.toUpperCase() }],
    ['a serial number that is no word', { [serial]: 'To Be Filled By O.E.M.' }],
    ['an id for this start alone', { [machineId]: id, 'run/machine-id': id }],
    [
      'a container with systemd in it',
      { [machineId]: id, [serial]: '10000000abcdef01', 'run/systemd/container': 'lxc' },
    ],
  ])('with %s tells nothing', async (_, files) => {
    expect(await readMachine(await createRoot(files))).toEqual({});
  });

  test('that systemd did not start, such as a container of Docker or Kubernetes, tells nothing', async () => {
    const root = await createRoot({ [machineId]: id });
    expect(await readMachine(root)).not.toEqual({});
    await rm(join(root, 'run/systemd'), { recursive: true });
    expect(await readMachine(root)).toEqual({});
  });

  test.each<[string, (path: string) => unknown]>([
    ['a link', (path) => symlink('/proc/sys/kernel/random/uuid', path)],
    ['a link to nowhere', (path) => symlink('/nowhere', path)],
    ['a FIFO', (path) => execFileSync('mkfifo', [path])],
    ['a folder', (path) => mkdir(path)],
    ['a file behind a link to itself', (path) => symlink(path, path)],
  ])('with %s for its id tells nothing, at once', async (_, make) => {
    const root = await createRoot({ [serial]: '10000000abcdef01' });
    await mkdir(join(root, 'etc'));
    await make(join(root, machineId));
    expect(Object.keys(await readMachine(root))).toEqual(['board']);
  });
});

test.each<
  [string, Readonly<Record<string, string>> | undefined, Readonly<Record<string, string>>, boolean]
>([
  ['of an earlier version has not moved', undefined, { 'machine-id': 'a', board: 'b' }, false],
  ['has not moved where nothing is known of the machine', { 'machine-id': 'a' }, {}, false],
  [
    'has not moved on its machine',
    { 'machine-id': 'a', board: 'b' },
    { 'machine-id': 'a', board: 'b' },
    false,
  ],
  [
    'has not moved where one mark is new',
    { 'machine-id': 'a' },
    { 'machine-id': 'a', board: 'b' },
    false,
  ],
  [
    'has moved with a card that was copied whole',
    { 'machine-id': 'a', board: 'b' },
    { 'machine-id': 'a', board: 'c' },
    true,
  ],
  [
    'has moved with a backup',
    { 'machine-id': 'a', board: 'b' },
    { 'machine-id': 'c', board: 'b' },
    true,
  ],
])('an identity %s', (_, machine, here, moved) => {
  expect(hasMoved({ machine }, here)).toBe(moved);
});

const otherId = expect.stringMatching(/^(?!00000000000000aa)[0-9a-f]{16}$/);

describe('an identity', () => {
  const [here, there] = [{ 'machine-id': 'here' }, { 'machine-id': 'there' }];

  async function createWith(own: Partial<Identity>, create?: PendingCreate) {
    const disk = await createDisk();
    await disk.files.identity.write({ ...identity, ...own });
    if (create !== undefined) await disk.files.pendingCreate.write({ pending: create });
    return disk;
  }

  test('of an earlier version gets its machine silently, and later the marks that it lacks', async () => {
    const { files } = await createWith({});
    await settleOn(here, files);
    expect(await files.identity.peek()).toEqual({ ...identity, machine: here });
    await settleOn({ board: 'b' }, files);
    expect(await files.identity.peek()).toEqual({ ...identity, machine: { ...here, board: 'b' } });
  });

  test('stays as it is on its machine, and where nothing is known of the machine', async () => {
    const { files, path } = await createWith({ machine: here });
    const before = await readFile(path('identity'), 'utf8');
    for (const machine of [here, {}]) await settleOn(machine, files);
    expect(await readFile(path('identity'), 'utf8')).toBe(before);
  });

  test.each<[string, Partial<Identity>, PendingCreate | undefined]>([
    ['that is registered', {}, undefined],
    ['that may be registered', { clientId: undefined, isUncertain: true }, undefined],
    ['whose registration was on its way', { clientId: undefined }, pending],
  ])('%s asks on another machine, and is not touched', async (_, own, create) => {
    const { files, path } = await createWith({ ...own, machine: there }, create);
    const before = await readFile(path('identity'), 'utf8');
    for (let time = 0; time < 2; time += 1) {
      await expect(settleOn(here, files)).rejects.toMatchObject({ code: 'identity-moved' });
    }
    expect(await readFile(path('identity'), 'utf8')).toBe(before);
  });

  test('that was never registered, as in an image that was started once, is replaced on another machine', async () => {
    const { files } = await createWith({ clientId: undefined, machine: there });
    await settleOn(here, files);
    expect(await files.identity.peek()).toEqual({ installId: otherId, isUncertain: false });
  });

  test('that is missing is not made, and a broken one does not count as another machine’s', async () => {
    const { files, path, directory } = await createDisk();
    await settleOn(here, files);
    expect(await readdir(directory)).toEqual([]);
    await writeFile(path('identity'), 'torn');
    await settleOn(here, files);
  });
});
