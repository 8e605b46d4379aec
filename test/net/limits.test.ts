import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StatusDocument } from '../../src/status/document.ts';
import { type Lab, waitForDownload, webPort } from '../../tools/lab/lab.ts';
import { addresses, isInsideLab } from '../../tools/lab/network.ts';
import type { LabProcess } from '../../tools/lab/processes.ts';
import {
  changeConfig,
  createTestLab,
  killAgent,
  runOnDevice,
  showLogOnFailure,
  stopAgent,
} from './support/test-lab.ts';

const capBytes = 3_000_000;
/** The kernel joins packets up to this size. */
const largestPacketBytes = 65_536;
const isProviding = ({ phase }: StatusDocument) => phase === 'providing';
const isPaused = ({ phase }: StatusDocument) => phase === 'paused';
const isIdle = ({ phase }: StatusDocument) => phase === 'idle';

// Namespaces are needed; test/global-setup.ts says aloud that this is left out.
describe.skipIf(!isInsideLab())("the owner's limits", () => {
  let lab: Lab;
  let agent: LabProcess;
  beforeAll(async () => {
    lab = await createTestLab({
      id: 'limit',
      profile: 'documented',
      config: {
        gateway: { allow_destinations: ['192.0.2.0/24'], permit_seconds: 5 },
        provide: { cap: { bytes: `${capBytes} B`, period: 'month' } },
      },
    });
    agent = lab.startAgent();
    await lab.waitForStatus(isProviding);
  });
  afterAll(() => lab?.remove());

  it('stop a download at the cap, to the byte, and say until when', async (context) => {
    showLogOnFailure(context, () => agent);
    const running = lab.startDownload(20_000_000, 30);
    const status = await lab.waitForStatus((current) => isPaused(current) && !current.gateway.open);
    running.kill();
    expect(status.reasons[0]?.code).toBe('cap-reached');
    expect(status.usage).toMatchObject({ capBytes, resetsAt: expect.any(String) });
    expect(Date.parse(status.usage.resetsAt ?? '')).toBeGreaterThan(Date.now());
    expectAllUsed(await lab.status());
    expect(await lab.probe(addresses.internet, webPort)).toBe('refused');
  });

  it.each([
    ['a stop', stopAgent],
    ['a crash', killAgent],
  ] as const)('hold after %s and a start', async (_, end) => {
    await end(agent);
    agent = lab.startAgent();
    expectAllUsed(await lab.waitForStatus(isPaused));
    expect(await lab.probe(addresses.internet, webPort)).toBe('refused');
  });

  it('hold after a crash in the middle of a download, and a cleanup', async (context) => {
    showLogOnFailure(context, () => agent);
    await changeConfig(lab, { provide: { cap: { bytes: `${3 * capBytes} B` } } });
    agent.kill('SIGHUP');
    await lab.waitForStatus(isProviding);
    expect(await waitForDownload(lab.startDownload(4_000_000, 20))).toMatchObject({
      isWhole: true,
    });
    await killAgent(agent);
    expect(await runOnDevice(lab, ['cleanup'])).toMatchObject({ exitCode: 0 });
    agent = lab.startAgent();
    const { usage } = await lab.waitForStatus(isProviding);
    expect(usage.bytes).toBeGreaterThan(4_000_000 + capBytes * 0.9);
    expect(usage.bytes).toBeLessThanOrEqual(3 * capBytes);
  });

  it('are opened by a larger cap, and the next download passes', async (context) => {
    showLogOnFailure(context, () => agent);
    await changeConfig(lab, { provide: { cap: { bytes: '1 GB' } } });
    agent.kill('SIGHUP');
    await lab.waitForStatus(({ usage }) => usage.capBytes === 1e9);
    expect(await waitForDownload(lab.startDownload(10_000_000, 30))).toMatchObject({
      bytes: 10_000_000,
      isWhole: true,
    });
  });

  it('stay in force when the new configuration is broken, which the status says', async () => {
    await changeConfig(lab, { provide: { mode: 'everybody', cap: { bytes: '1 B' } } });
    agent.kill('SIGHUP');
    const status = await lab.waitForStatus(
      ({ reasons }) => reasons[0]?.code === 'configuration-invalid',
    );
    expect(status).toMatchObject({
      phase: 'providing',
      usage: { capBytes: 1e9 },
      provide: { configured: 'public' },
    });
    await expect.poll(() => lab.probe(addresses.internet, webPort)).toBe('reached');
    await changeConfig(lab, { provide: { mode: 'public', cap: { bytes: '1 GB' } } });
    agent.kill('SIGHUP');
    expect((await lab.waitForStatus(({ reasons }) => reasons.length === 0)).phase).toBe(
      'providing',
    );
  });

  it('follow the schedule, and an override until its time is over', async (context) => {
    showLogOnFailure(context, () => agent);
    await changeConfig(lab, { provide: { schedule: [{ cron: '* * * * *', mode: 'none' }] } });
    agent.kill('SIGHUP');
    const idle = await lab.waitForStatus(isIdle);
    expect(idle.provide).toMatchObject({
      scheduled: 'none',
      effective: 'none',
      configured: 'public',
    });
    expect(await lab.probe(addresses.internet, webPort)).toBe('refused');
    const provideFor = async (time: string) =>
      expect(await runOnDevice(lab, ['provide', 'public', '--for', time])).toMatchObject({
        exitCode: 0,
        text: expect.stringContaining('public'),
      });
    await provideFor('1h');
    const open = await lab.waitForStatus(({ gateway }) => gateway.open);
    expect(open.provide).toMatchObject({
      effective: 'public',
      override: { mode: 'public', until: expect.any(String) },
    });
    await provideFor('2s');
    const over = await lab.waitForStatus((status) => isIdle(status) && !status.gateway.open);
    expect(over.provide).toMatchObject({ effective: 'none', override: null });
  });
});

/** Not a byte more than the cap, and no more left than a large packet. */
function expectAllUsed({ usage }: StatusDocument): void {
  expect(usage.bytes).toBeLessThanOrEqual(capBytes);
  expect(usage.bytes).toBeGreaterThan(capBytes - largestPacketBytes);
}
