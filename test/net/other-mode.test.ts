import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { profiles } from '../../src/service/profiles.ts';
import { type Lab, webPort } from '../../tools/lab/lab.ts';
import { addresses, isInsideLab } from '../../tools/lab/network.ts';
import type { LabProcess } from '../../tools/lab/processes.ts';
import { type NastyService, nastyUrl, startNastyService } from './support/start-nasty-service.ts';
import { createTestLab, showLogOnFailure, stopAgent } from './support/test-lab.ts';

const { modeNumbers } = profiles.documented;

// Namespaces are needed; test/global-setup.ts says aloud that this is left out.
describe.skipIf(!isInsideLab())('a service that applies another mode than it was asked for', () => {
  let lab: Lab;
  let service: NastyService;
  let agent: LabProcess;
  /** Waits until these are all the reasons, in this phase. */
  const waitFor = (phase: string, ...codes: readonly string[]) =>
    lab.waitForStatus(
      (status) =>
        status.phase === phase &&
        String(status.reasons.map(({ code }) => code)) === String(codes) &&
        status.gateway.open === (phase === 'providing'),
    );
  const apply = (mode: keyof typeof modeNumbers) =>
    service.behave({ appliedMode: modeNumbers[mode] });
  const tryIt = () => lab.probe(addresses.internet, webPort);
  const readMetrics = () =>
    lab.network.run('device', 'curl', '-s', 'http://127.0.0.1:9469/metrics');
  beforeAll(async () => {
    lab = await createTestLab({
      id: 'other',
      profile: 'documented',
      config: {
        service: { base_url: nastyUrl, profile: 'documented', allow_insecure_http: true },
        provide: { mode: 'friends' },
      },
    });
    service = await startNastyService(lab);
    await apply('network');
    agent = lab.startAgent();
  });
  beforeEach((context) => showLogOnFailure(context, () => agent));
  afterAll(async () => {
    await service?.stop();
    await lab?.remove();
  });

  it('is named where fewer people come, and those who come are served', async () => {
    const { provide } = await waitFor('providing', 'mode-not-applied');
    expect(provide.confirmed).toBe('network');
    await expect.poll(tryIt).toBe('reached');
  });

  it('lets nothing through where more people may come, and status, metric and log say why', async () => {
    await apply('public');
    expect(await stopAgent(agent)).toBe(0);
    agent = lab.startAgent();
    const { provide, reasons } = await waitFor('connecting', 'mode-not-applied');
    expect([provide.confirmed, reasons[0]?.message]).toEqual([
      'public',
      'The service has public, which lets in more people than friends. Nothing passes until it has friends.',
    ]);
    expect(await tryIt()).toBe('refused');
    expect(await readMetrics()).toContain('tributary_reason{code="mode-not-applied"} 1');
    expect(agent.lines.join('\n')).toContain('mode-not-applied');
  });

  it('is over as soon as the service has the mode that is wanted', async () => {
    await service.behave({});
    await lab.runCommand('provide', 'network');
    expect((await waitFor('providing')).provide.confirmed).toBe('network');
    expect(await tryIt()).toBe('reached');
  });

  it('serves on after a pause, and says what the service still has where it is told later', async () => {
    for (const mode of ['none', 'network', 'none', 'network']) {
      await lab.runCommand('provide', mode);
      await lab.waitForStatus(({ provide }) => mode !== 'none' || provide.confirmed === 'none');
    }
    const { provide, reasons } = await waitFor('providing', 'mode-not-told');
    expect(provide.confirmed).toBe('none');
    expect(reasons[0]?.message).toContain('the service still has none, and is told network');
  });
});
