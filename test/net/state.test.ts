import { execFile } from 'node:child_process';
import { open, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openNamespaceHost } from '../../src/namespace/run-inside.ts';
import type { StatusDocument } from '../../src/status/document.ts';
import { type Lab, waitForDownload, webPort } from '../../tools/lab/lab.ts';
import { addresses, isInsideLab } from '../../tools/lab/network.ts';
import type { LabProcess } from '../../tools/lab/processes.ts';
import {
  countClients,
  createTestLab,
  killAgent,
  runOnDevice,
  showLogOnFailure,
  signIn,
  stopAgent,
} from './support/test-lab.ts';

const execute = promisify(execFile);
const isProviding = ({ phase }: StatusDocument) => phase === 'providing';

const spoilers: readonly (readonly [name: string, spoil: (path: string) => Promise<void>])[] = [
  ['torn', async (path) => truncate(path, Math.floor((await readFile(path)).length / 2))],
  ['empty', (path) => truncate(path, 0)],
  [
    'changed',
    async (path) =>
      writeFile(path, (await readFile(path, 'utf8')).replace(/"data": \{/, '"data": {"x": 1,')),
  ],
];
/** What the agent can do without, or find again. */
const files = ['identity', 'registration', 'pending-create', 'usage', 'restore'];

// Namespaces are needed; test/global-setup.ts says aloud that this is left out.
describe.skipIf(!isInsideLab())('a state directory that is broken', () => {
  let lab: Lab;
  let agent: LabProcess;
  let clientId: string | null;
  /** As the agent wrote them: not every file is written with every start. */
  const whole = new Map<string, string>();
  beforeAll(async () => {
    lab = await createTestLab({ id: 'state', profile: 'production' });
    await signIn(lab);
    agent = lab.startAgent();
    clientId = (await lab.waitForStatus(isProviding)).client.id;
    await runOnDevice(lab, ['provide', 'network']);
    await stopAgent(agent);
    for (const name of files)
      whole.set(name, await readFile(join(lab.stateDirectory, `${name}.json`), 'utf8'));
  });
  beforeEach((context) => showLogOnFailure(context, () => agent));
  afterAll(() => lab?.remove());

  it.each(spoilers)('keeps its client where each file is %s in turn', async (_, spoil) => {
    for (const name of files) {
      const path = join(lab.stateDirectory, `${name}.json`);
      if (!(await readdir(lab.stateDirectory)).includes(`${name}.json`))
        await writeFile(path, whole.get(name) ?? '');
      await spoil(path);
      agent = lab.startAgent();
      const status = await lab.waitForStatus(isProviding);
      expect(status.client.id, name).toBe(clientId);
      await stopAgent(agent);
      const said = agent.lines.find((line) => line.includes('a broken file was set aside')) ?? '';
      expect(said, name).toContain(path);
      expect(JSON.parse(said).why, name).toMatch(/whole JSON|checksum/);
    }
    expect(
      (await readdir(lab.stateDirectory)).filter((name) => name.includes('.broken-')).length,
    ).toBeGreaterThanOrEqual(files.length);
    expect(await countClients(lab)).toBe(1);
  });

  it.each(spoilers)('waits for its owner where what he set by hand is %s', async (_, spoil) => {
    const path = join(lab.stateDirectory, 'override.json');
    await spoil(path);
    agent = lab.startAgent();
    const { client, reasons } = await lab.waitForStatus(({ phase }) => phase === 'blocked');
    expect(client.id).toBe(clientId);
    expect(reasons[0]).toMatchObject({
      code: 'state-unreadable',
      message: expect.stringContaining(path),
    });
    expect((await runOnDevice(lab, ['provide', 'network'])).exitCode).toBe(0);
    expect((await lab.waitForStatus(isProviding)).client.id).toBe(clientId);
    await stopAgent(agent);
  });
});

// Namespaces are needed; test/global-setup.ts says aloud that this is left out.
describe.skipIf(!isInsideLab())('a disk that takes nothing', () => {
  let lab: Lab;
  let agent: LabProcess;
  beforeAll(async () => {
    lab = await createTestLab({
      id: 'disk',
      profile: 'documented',
      config: { gateway: { allow_destinations: ['192.0.2.0/24'], permit_seconds: 5 } },
    });
    await execute('mount', [
      '-t',
      'tmpfs',
      '-o',
      'size=256k,mode=700',
      'tmpfs',
      lab.stateDirectory,
    ]);
  });
  beforeEach((context) => showLogOnFailure(context, () => agent));
  afterAll(async () => {
    agent?.kill('SIGKILL');
    await agent?.exited;
    await execute('umount', [lab.stateDirectory]);
    await lab.remove();
  });

  it('is said, and nothing is registered until there is room', async () => {
    await fill(lab);
    agent = lab.startAgent();
    const status = await lab.waitForStatus(({ phase }) => phase === 'blocked');
    expect(status.reasons[0]).toMatchObject({
      code: 'state-unwritable',
      message: expect.stringContaining('ENOSPC'),
    });
    expect(status.client.id).toBe(null);
    await makeRoom(lab);
    const providing = await lab.waitForStatus(
      (current) => isProviding(current) && current.reasons.length === 0,
    );
    expect(providing.client.id).not.toBe(null);
    expect(await countClients(lab)).toBe(1);
  });

  it('stops nobody once the device is registered, and a crash leaves one client', async () => {
    const { client } = await lab.status();
    await fill(lab);
    const order = await runOnDevice(lab, ['provide', 'network']);
    expect(order.exitCode).not.toBe(0);
    expect(order.text).toContain('ENOSPC');
    const during = await lab.waitForStatus(({ provide }) => provide.effective === 'network');
    expect(during).toMatchObject({ phase: 'providing', gateway: { open: true } });
    await killAgent(agent);
    agent = lab.startAgent();
    const after = await lab.waitForStatus(isProviding);
    expect(after.client.id).toBe(client.id);
    await expect.poll(() => lab.probe(addresses.internet, webPort)).toBe('reached');
    expect(await countClients(lab)).toBe(1);
    await lab.waitForStatus(({ reasons }) =>
      reasons.some(({ code }) => code === 'state-unwritable'),
    );
    await makeRoom(lab);
    await lab.waitForStatus(({ reasons }) => reasons.length === 0);
  });

  it('loses no count at a stop: what cannot be written stays in the kernel, closed, and is said', async () => {
    expect(await waitForDownload(lab.startDownload(1_000_000, 30))).toMatchObject({
      isWhole: true,
    });
    await fill(lab);
    expect(await stopAgent(agent)).toBe(75);
    const left = await lab.network.run('device', 'nft', 'list', 'table', 'inet', 'tributary');
    expect(left).not.toMatch(/set permit \{[^}]*elements/);
    await makeRoom(lab);
    expect((await runOnDevice(lab, ['cleanup'])).exitCode).toBe(0);
    expect(await lab.network.run('device', 'nft', 'list', 'ruleset')).toBe('');
    const usage = JSON.parse(await readFile(join(lab.stateDirectory, 'usage.json'), 'utf8'));
    expect(usage.data.totalDownBytes).toBeGreaterThan(1_000_000);
  });

  it('is said where it is mounted read-only, and stops no device that is registered', async () => {
    agent = lab.startAgent();
    await lab.waitForStatus(isProviding);
    await killAgent(agent);
    await mountAgain(lab, 'ro');
    agent = lab.startAgent();
    const status = await lab.waitForStatus(
      (current) => isProviding(current) && current.reasons.length > 0,
    );
    expect(status.reasons).toMatchObject([
      { code: 'state-unwritable', message: expect.stringContaining('EROFS') },
    ]);
    expect(status.reasons[0]?.action).toContain('SD card');
    const second = await runOnDevice(lab, ['run']);
    expect([second.exitCode, second.text]).toEqual([
      75,
      expect.stringContaining('uses this state directory'),
    ]);
    await killAgent(agent);
    await mountAgain(lab, 'rw');
    expect(await countClients(lab)).toBe(1);
  });

  it('does not keep the kernel settings before the start, where it is read-only: they are put back all the same', async () => {
    agent = lab.startAgent();
    await lab.waitForStatus(isProviding);
    expect(await stopAgent(agent)).toBe(0);
    const before = await listForwarding(lab);
    await mountAgain(lab, 'ro');
    agent = lab.startAgent();
    const { reasons } = await lab.waitForStatus(
      (current) => isProviding(current) && current.reasons.length > 0,
    );
    expect(reasons).toMatchObject([
      { code: 'state-unwritable', message: expect.stringContaining('EROFS') },
    ]);
    expect(await listForwarding(lab)).not.toBe(before);
    expect(await stopAgent(agent)).toBe(75);
    expect(await listForwarding(lab)).toBe(before);
    await mountAgain(lab, 'rw');
  });

  it("keeps no host from noting its own settings, where the agent's directory is read-only", async () => {
    await mountAgain(lab, 'ro');
    const { restore, forget } = openNamespaceHost(join(lab.directory, 'netns'));
    await restore.remember('net/ipv4/conf/eth0/forwarding', '0');
    expect(await restore.read()).toEqual({ 'net/ipv4/conf/eth0/forwarding': '0' });
    await forget();
    await mountAgain(lab, 'rw');
  });

  it('is a clear reason to end where it is read-only and no agent ever ran in it', async () => {
    await rm(join(lab.stateDirectory, 'agent.lock'));
    await mountAgain(lab, 'ro');
    const { exitCode, text } = await runOnDevice(lab, ['run']);
    await mountAgain(lab, 'rw');
    expect(exitCode).toBe(75);
    expect(text).toContain('EROFS');
    expect(text).toContain(lab.stateDirectory);
  });
});

async function fill(lab: Lab): Promise<void> {
  const file = await open(join(lab.stateDirectory, 'filler'), 'w');
  try {
    for (;;) await file.write(Buffer.alloc(4096));
  } catch {
    // Full.
  } finally {
    await file.close();
  }
}

function makeRoom(lab: Lab): Promise<void> {
  return rm(join(lab.stateDirectory, 'filler'));
}

/** For what starts from now on: an agent has mounts of its own. */
async function mountAgain(lab: Lab, how: 'ro' | 'rw'): Promise<void> {
  await execute('mount', ['-o', `remount,bind,${how}`, lab.stateDirectory]);
}

/** Whether each of the device's interfaces forwards. */
function listForwarding(lab: Lab): Promise<string> {
  return lab.network.run('device', 'sh', '-c', 'grep . /proc/sys/net/ipv4/conf/*/forwarding');
}
