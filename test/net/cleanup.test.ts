import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Lab } from '../../tools/lab/lab.ts';
import { isInsideLab } from '../../tools/lab/network.ts';
import { type LabProcess, startProcess } from '../../tools/lab/processes.ts';
import { takeSnapshot } from './support/observe-device.ts';
import {
  createTestLab,
  killAgent,
  runOnDevice,
  showLogOnFailure,
  stopAgent,
} from './support/test-lab.ts';

const isProviding = (status: { readonly phase: string }) => status.phase === 'providing';

// Namespaces are needed; test/global-setup.ts says aloud that this is left out.
describe.skipIf(!isInsideLab())('what an agent leaves behind', () => {
  let lab: Lab;
  let agent: LabProcess | undefined;
  let before = '';
  const start = async () => {
    agent = lab.startAgent();
    await lab.waitForStatus(isProviding);
    return agent;
  };
  beforeAll(async () => {
    lab = await createTestLab({ id: 'clean', profile: 'documented' });
    before = await takeSnapshot(lab);
  });
  afterAll(() => lab?.remove());

  it('is nothing after SIGTERM', async (context) => {
    showLogOnFailure(context, () => agent);
    const running = await start();
    expect(await takeSnapshot(lab), 'it did change something').not.toBe(before);
    expect(await stopAgent(running)).toBe(0);
    expect(await takeSnapshot(lab)).toBe(before);
    expect(await readdir(lab.directory)).not.toContain('agent.sock');
  });

  it('is nothing after kill -9 and cleanup, however often', async (context) => {
    showLogOnFailure(context, () => agent);
    await killAgent(await start());
    expect(await takeSnapshot(lab)).not.toBe(before);
    for (const time of ['first', 'second']) {
      expect(await runOnDevice(lab, ['cleanup']), `${time} time`).toMatchObject({ exitCode: 0 });
      expect(await takeSnapshot(lab), `${time} time`).toBe(before);
    }
  });

  it('is not cleaned up from under an agent that runs', async (context) => {
    showLogOnFailure(context, () => agent);
    const running = await start();
    const during = await runOnDevice(lab, ['cleanup']);
    expect(during.exitCode).toBe(75);
    expect(during.text).toMatch(/another agent \(process \d+\) uses this state directory/);
    expect((await lab.status()).phase).toBe('providing');
    expect(await stopAgent(running)).toBe(0);
  });

  it('is not cleaned up from under an agent of another state directory, which keeps the namespace for itself', async (context) => {
    showLogOnFailure(context, () => agent);
    const running = await start();
    const another = join(lab.directory, 'another');
    const runAnother = async (command: string) => {
      const [program, ...args] = lab.command(command);
      const started = startProcess({
        argv: [program, ...args.map((word) => (word === lab.stateDirectory ? another : word))],
      });
      return { exitCode: await started.exited, text: started.lines.join('\n') };
    };
    for (const command of ['cleanup', 'run']) {
      const { exitCode, text } = await runAnother(command);
      expect([command, exitCode, text]).toEqual([
        command,
        75,
        expect.stringContaining('of another state directory'),
      ]);
    }
    expect((await lab.status()).phase).toBe('providing');
    expect(await stopAgent(running)).toBe(0);
    expect(await runAnother('cleanup')).toMatchObject({ exitCode: 0 });
  });

  it('is nothing when it is stopped right after its start', async (context) => {
    showLogOnFailure(context, () => agent);
    agent = lab.startAgent();
    await agent.waitForLine((line) => line.includes('"message":"status"'));
    expect(await stopAgent(agent)).toBe(0);
    expect(await takeSnapshot(lab)).toBe(before);
  });

  it('runs once on a state directory', async (context) => {
    showLogOnFailure(context, () => agent);
    const running = await start();
    const second = await runOnDevice(lab, ['run']);
    expect(second.exitCode).toBe(75);
    expect(second.text).toContain('another agent');
    expect((await lab.status()).phase).toBe('providing');
    expect(await stopAgent(running)).toBe(0);
  });
});
