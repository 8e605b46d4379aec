import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { appendLines } from '../../src/report/ledger-files.ts';
import { startAt, unitMs } from '../../src/report/ledger-line.ts';
import { type Lab, waitForDownload } from '../../tools/lab/lab.ts';
import { isInsideLab } from '../../tools/lab/network.ts';
import type { LabProcess } from '../../tools/lab/processes.ts';
import { createTestLab, runOnDevice, showLogOnFailure } from './support/test-lab.ts';

const code = 'consumer-tunnel';

/**
 * Hours up to the one that is over, as an agent keeps them that provided all the while and to which
 * nothing came.
 */
function toSilentHours(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    start: startAt('hour', Date.now() - (count - index) * unitMs.hour),
    providingSeconds: 3600,
    upBytes: 0,
    downBytes: 0,
    refusedPackets: 0,
    peakBytesPerSecond: 0,
    sequence: index + 1,
    reached: { upBytes: 0, downBytes: 0, refusedPackets: 0 },
  }));
}

// Namespaces are needed; test/global-setup.ts says aloud that this is left out.
describe.skipIf(!isInsideLab())('a tunnel through which no consumer comes', () => {
  let lab: Lab;
  let agent: LabProcess;
  const hours = toSilentHours(25);
  beforeAll(async () => {
    lab = await createTestLab({ id: 'silent', profile: 'production' });
    await appendLines(lab.stateDirectory, hours);
    agent = lab.startAgent();
    await lab.waitForStatus(({ phase }) => phase === 'providing');
  });
  beforeEach((context) => showLogOnFailure(context, () => agent));
  afterAll(() => lab?.remove());

  const listCodes = async () => (await lab.status())?.reasons.map((reason) => reason.code);
  const ask = async (...args: readonly string[]) =>
    (await runOnDevice(lab, args)).text.replace(/\s+/g, ' ');

  it('is a note beside providing, with the silence of the days before', async () => {
    const status = await lab.waitForStatus(({ reasons }) =>
      reasons.some((reason) => reason.code === code),
    );
    expect(status).toMatchObject({
      phase: 'providing',
      gateway: { open: true, forwardedBytes: { up: 0, down: 0 } },
    });
    expect(status.tunnel.lastHandshakeAt).not.toBeNull();
    expect(status.reasons.find((reason) => reason.code === code)).toMatchObject({
      since: new Date(hours[0]?.start ?? '').toISOString(),
    });
  });

  it('is named in the text, by the doctor and in the metrics, and nobody is unwell for it', async () => {
    expect(await ask('status')).toContain("carry the device's own traffic out");
    const { checks } = JSON.parse((await runOnDevice(lab, ['doctor', '--json'])).text);
    const forwarding = checks.find(({ id }: { readonly id: string }) => id === 'forwarding');
    expect(forwarding).toMatchObject({ verdict: 'pass', found: expect.stringContaining(code) });
    const url = 'http://127.0.0.1:9469/metrics';
    expect(await lab.network.run('device', 'curl', '-s', url)).toContain(
      `tributary_reason{code="${code}"} 1`,
    );
    expect((await runOnDevice(lab, ['health'])).exitCode).toBe(0);
  });

  it('is no more supposed once a consumer has come', async () => {
    expect(await listCodes()).toContain(code);
    expect(await waitForDownload(lab.startDownload(100_000, 30))).toMatchObject({ isWhole: true });
    // What was counted a moment before is not asked for again.
    await expect.poll(listCodes).not.toContain(code);
  });
});
