import { readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Lab, webPort } from '../../src/lab/lab.ts';
import { addresses, isInsideLab } from '../../src/lab/network.ts';
import type { LabProcess } from '../../src/lab/processes.ts';
import type { StatusDocument } from '../../src/status/document.ts';
import {
  countClients,
  createTestLab,
  killAgent,
  runOnDevice,
  showLogOnFailure,
  signIn,
  stopAgent,
} from './support/test-lab.ts';

const isProviding = ({ phase }: StatusDocument) => phase === 'providing';

const spoilers: readonly (readonly [name: string, spoil: (path: string) => Promise<void>])[] = [
  ['torn', async (path) => truncate(path, Math.floor((await readFile(path)).length / 2))],
  ['empty', (path) => truncate(path, 0)],
  [
    'changed',
    async (path) => writeFile(path, (await readFile(path, 'utf8')).replace(/"data": \{/, '"data": {"x": 1,')),
  ],
];
const files = ['identity', 'registration', 'pending-create', 'usage', 'override', 'restore'];

// Namespaces are needed; test/global-setup.ts says aloud that this is left out.
describe.skipIf(!isInsideLab())('a state directory that is broken', () => {
  let lab: Lab;
  let agent: LabProcess;
  let clientId: string | null;
  beforeAll(async () => {
    lab = await createTestLab({ id: 'state', profile: 'production' });
    await signIn(lab);
    agent = lab.startAgent();
    clientId = (await lab.waitForStatus(isProviding)).client.id;
    await runOnDevice(lab, ['provide', 'network']);
    await stopAgent(agent);
  });
  afterAll(() => lab?.remove());

  it.each(spoilers)('keeps its client where each file is %s in turn', async (_, spoil) => {
    for (const name of files) {
      const path = join(lab.stateDirectory, `${name}.json`);
      await spoil(path);
      agent = lab.startAgent();
      const status = await lab.waitForStatus(isProviding);
      expect(status.client.id, name).toBe(clientId);
      await stopAgent(agent);
      const said = agent.lines.find((line) => line.includes('a broken file was set aside')) ?? '';
      expect(said, name).toContain(path);
      expect(JSON.parse(said).why, name).toMatch(/whole JSON|checksum/);
      // What the agent writes at its own time is there again for the next round.
      if (name === 'override') await restoreOverride(lab);
    }
    expect(
      (await readdir(lab.stateDirectory)).filter((name) => name.includes('.broken-')).length,
    ).toBeGreaterThanOrEqual(files.length);
    expect(await countClients(lab)).toBe(1);
  });
});

async function restoreOverride(lab: Lab): Promise<void> {
  const agent = lab.startAgent();
  await lab.waitForStatus(isProviding);
  await runOnDevice(lab, ['provide', 'network']);
  await stopAgent(agent);
}

// Namespaces are needed; test/global-setup.ts says aloud that this is left out.
describe.skipIf(!isInsideLab())('a disk that takes nothing', () => {
  let lab: Lab;
  let agent: LabProcess;
  const mount = (...args: readonly string[]) => lab.network.run('device', 'mount', ...args);
  beforeAll(async () => {
    lab = await createTestLab({ id: 'disk', profile: 'documented', keepaliveSeconds: 5 });
  });
  afterAll(() => lab?.remove());

  it.todo('registers nothing while it is full');
});
