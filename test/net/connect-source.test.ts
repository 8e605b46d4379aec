import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Lab, waitForDownload, webPort } from '../../tools/lab/lab.ts';
import { addresses, isInsideLab } from '../../tools/lab/network.ts';
import type { LabProcess } from '../../tools/lab/processes.ts';
import { findEngines } from './support/find-engines.ts';
import { createTestLab, killAgent, showLogOnFailure } from './support/test-lab.ts';

describe.skipIf(!isInsideLab())('consumers by the network’s own protocol', () => {
  let lab: Lab;
  let agent: LabProcess;
  beforeAll(async () => {
    lab = await createTestLab({ id: 'csrc', profile: 'documented', source: 'connect' });
    agent = lab.startAgent();
    await lab.waitForStatus(({ phase }) => phase === 'providing');
    await lab.consumer?.isReady;
  });
  beforeEach((context) => showLogOnFailure(context, () => agent));
  afterAll(() => lab?.remove());

  it('reach the Internet through the device, and nothing at home', async () => {
    expect(await waitForDownload(lab.startDownload(1_000_000, 60))).toMatchObject({
      isWhole: true,
    });
    expect(await lab.probe(addresses.nas, webPort)).toBe('refused');
    expect(await lab.probeFrom('home', addresses.nas, webPort)).toBe('reached');
  });

  it('meet an engine without any capability, and without a way to one', async () => {
    const engines = await findEngines(lab);
    expect(engines).toHaveLength(1);
    expect(engines[0]?.status).toMatch(/^CapPrm:\s0+$/m);
    expect(engines[0]?.status).toMatch(/^CapEff:\s0+$/m);
    expect(engines[0]?.status).toMatch(/^CapAmb:\s0+$/m);
    expect(engines[0]?.status).toMatch(/^NoNewPrivs:\s1$/m);
  });

  it('are served again once a killed engine was started again', async () => {
    const [before] = await findEngines(lab);
    process.kill(before?.pid ?? 0, 'SIGKILL');
    await lab.waitForStatus(({ phase }) => phase !== 'providing');
    await lab.waitForStatus(({ phase }) => phase === 'providing');
    expect((await findEngines(lab)).map(({ pid }) => pid)).not.toContain(before?.pid);
    await expect.poll(() => lab.probe(addresses.internet, webPort)).toBe('reached');
  });

  it('are not divided: a second agent of the same identity is refused, and starts no engine', async () => {
    const before = await findEngines(lab);
    const second = lab.startAgent();
    expect(await second.exited).not.toBe(0);
    expect(second.lines.join('\n')).toMatch(
      /another agent \(process \d+\) uses this state directory/,
    );
    expect((await findEngines(lab)).map(({ pid }) => pid)).toEqual(before.map(({ pid }) => pid));
    await expect.poll(() => lab.probe(addresses.internet, webPort)).toBe('reached');
  });

  it('find one engine after the agent was killed, though the one before hangs', async () => {
    const [before] = await findEngines(lab);
    process.kill(before?.pid ?? 0, 'SIGSTOP');
    await killAgent(agent);
    agent = lab.startAgent();
    await lab.waitForStatus(({ phase }) => phase === 'providing');
    const after = await findEngines(lab);
    expect(after).toHaveLength(1);
    expect(after.map(({ pid }) => pid)).not.toContain(before?.pid);
    await expect.poll(() => lab.probe(addresses.internet, webPort)).toBe('reached');
  });

  it('have no engine any more once the agent was killed', async () => {
    await killAgent(agent);
    await expect.poll(() => findEngines(lab)).toEqual([]);
  });
});
