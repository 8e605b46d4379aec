import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Lab, waitForDownload } from '../../tools/lab/lab.ts';
import { isInsideLab } from '../../tools/lab/network.ts';
import type { LabProcess } from '../../tools/lab/processes.ts';
import {
  createTestLab,
  killAgent,
  runOnDevice,
  showLogOnFailure,
  signIn,
  stopAgent,
} from './support/test-lab.ts';

const kills = 10;
const isProviding = (status: { readonly phase: string }) => status.phase === 'providing';

// Namespaces are needed; test/global-setup.ts says aloud that this is left out.
describe.skipIf(!isInsideLab())('the ledger', () => {
  let lab: Lab;
  let agent: LabProcess | undefined;
  beforeAll(async () => {
    lab = await createTestLab({
      id: 'ledger',
      profile: 'documented',
      config: { gateway: { allow_destinations: ['192.0.2.0/24'], permit_seconds: 30 } },
    });
    await signIn(lab);
  });
  afterAll(async () => {
    agent?.kill('SIGKILL');
    await lab?.remove();
  });

  const readLocal = async () =>
    JSON.parse((await runOnDevice(lab, ['stats', '--local', '--last', '48h', '--json'])).text)
      .totals;

  it('shows what a running agent has counted', async (context) => {
    showLogOnFailure(context, () => agent);
    agent = lab.startAgent();
    await lab.waitForStatus(isProviding);
    // The ledger begins when the start is over; what passed before is in no hour.
    await expect.poll(() => readdir(join(lab.stateDirectory, 'ledger'))).not.toEqual([]);
    expect(await waitForDownload(lab.startDownload(2_000_000, 30))).toMatchObject({
      isWhole: true,
    });
    await expect.poll(async () => (await readLocal()).downBytes).toBeGreaterThan(2_000_000);
    // At least what passed, in at most two readings.
    expect((await readLocal()).peakBytesPerSecond).toBeGreaterThan(2_000_000 / 40);
  });

  it('loses and doubles nothing of what passes while the agent is killed ten times', async (context) => {
    showLogOnFailure(context, () => agent);
    for (let round = 0; round < kills; round += 1) {
      if (agent !== undefined) await killAgent(agent);
      // The permit outlives the agent: this passes while nobody counts but the kernel.
      expect(await waitForDownload(lab.startDownload(500_000, 30))).toMatchObject({
        isWhole: true,
      });
      agent = lab.startAgent();
      await lab.waitForStatus(isProviding);
    }
    expect(agent && (await stopAgent(agent))).toBe(0);
    const { data } = JSON.parse(await readFile(join(lab.stateDirectory, 'usage.json'), 'utf8'));
    const { upBytes, downBytes } = await readLocal();
    expect(downBytes).toBeGreaterThan(2_000_000 + kills * 500_000);
    // Before the ledger began, nothing was forwarded.
    expect({ upBytes, downBytes }).toEqual({
      upBytes: data.totalUpBytes,
      downBytes: data.totalDownBytes,
    });
  });
});
