import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { profileNames } from '../../src/service/profiles.ts';
import { statusDocument } from '../../src/status/document.ts';
import { type Lab, waitForDownload, webPort } from '../../tools/lab/lab.ts';
import { addresses, isInsideLab } from '../../tools/lab/network.ts';
import type { LabProcess } from '../../tools/lab/processes.ts';
import {
  countClients,
  createTestLab,
  runOnDevice,
  showLogOnFailure,
  stopAgent,
} from './support/test-lab.ts';

// Namespaces are needed; test/global-setup.ts says aloud that this is left out.
describe.skipIf(!isInsideLab()).each(profileNames)('an agent of a %s service', (profile) => {
  let lab: Lab;
  let agent: LabProcess;
  const refusedBy = async (reason: string) =>
    (await lab.status()).gateway.refusedPackets[reason] ?? 0;
  beforeAll(async () => {
    lab = await createTestLab({ id: `agt${profile.slice(0, 3)}`, profile });
    agent = lab.startAgent();
    await lab.waitForStatus(({ phase }) => phase === 'providing');
  });
  beforeEach((context) => showLogOnFailure(context, () => agent));
  afterAll(() => lab?.remove());

  it('is registered once, with a tunnel that shook hands', async () => {
    const status = await lab.status();
    expect(status).toMatchObject({
      version: 1,
      client: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        description: expect.stringContaining('lab device'),
      },
      service: { profile, reachable: true, keepaliveSeconds: expect.any(Number) },
      tunnel: { lastHandshakeAt: expect.any(String) },
      provide: { configured: 'public', effective: 'public' },
      gateway: { open: true, uplink: 'lan0' },
    });
    expect(status.service.keepaliveSeconds, 'never a hot loop').toBeGreaterThanOrEqual(5);
    expect(await countClients(lab)).toBe(1);
  });

  it('forwards a real download, and counts it', async () => {
    const before = await lab.status();
    expect(await waitForDownload(lab.startDownload(12_000_000, 60))).toMatchObject({
      bytes: 12_000_000,
      isWhole: true,
    });
    // A status that is asked for during a pass shows the counters of the one before it.
    const downOf = ({ gateway }: typeof before) => gateway.forwardedBytes.down ?? 0;
    const after = await lab.waitForStatus((status) => downOf(status) - downOf(before) > 12_000_000);
    const [earlier, later] = [before.gateway.forwardedBytes, after.gateway.forwardedBytes];
    expect(later.up ?? 0).toBeGreaterThan(earlier.up ?? Number.NaN);
    expect((after.tunnel.txBytes ?? 0) - (before.tunnel.txBytes ?? 0)).toBeGreaterThan(12_000_000);
  });

  it.each([
    ['the NAS', addresses.nas, 'own-network'],
    ['the home router', addresses.homeLan, 'own-network'],
    ['the device itself', addresses.device, 'device-itself'],
    ['a metadata service', '169.254.169.254', 'not-public'],
    ['another private network', '10.1.2.3', 'not-public'],
  ])('refuses a consumer %s, and counts why', async (_, address, reason) => {
    const before = await refusedBy(reason);
    expect(await lab.probe(address, webPort)).toBe('refused');
    // On a busy machine a status has the counters of a moment before.
    await expect.poll(() => refusedBy(reason)).toBeGreaterThan(before);
  });

  it('is there for its own network all the while', async () => {
    expect(await lab.probeFrom('home', addresses.nas, webPort)).toBe('reached');
    expect(await lab.probeFrom('home', addresses.device, webPort)).toBe('reached');
    expect(await lab.probeFrom('device', addresses.internet, webPort)).toBe('reached');
  });

  it('refuses the port that spam is sent from', async () => {
    const before = await refusedBy('blocked-port');
    expect(await lab.probe(addresses.internet, 25)).toBe('refused');
    await expect.poll(() => refusedBy('blocked-port')).toBeGreaterThan(before);
  });

  it('says how it is, in every form', async () => {
    const text = await runOnDevice(lab, ['status']);
    expect(text).toMatchObject({
      exitCode: 0,
      text: expect.stringContaining('Tributary is providing'),
    });
    const json = await runOnDevice(lab, ['status', '--json']);
    expect(statusDocument.parse(JSON.parse(json.text)).phase).toBe('providing');
    expect(await runOnDevice(lab, ['health'])).toMatchObject({
      exitCode: 0,
      text: expect.stringMatching(/^healthy: /),
    });
    expect(await askPage(lab, '/livez')).toBe('200 alive\n');
    expect(await askPage(lab, '/readyz')).toBe('200 providing\n');
    expect(await askPage(lab, '/metrics')).toMatch(/^tributary_\w+(\{.*\})? [0-9.e+]+$/m);
    expect(await runOnDevice(lab, ['config', 'check'])).toMatchObject({ exitCode: 0 });
    expect((await runOnDevice(lab, ['config', 'show'])).text).toContain(profile);
  });

  it(`${profile === 'production' ? 'says once that the service cannot set the mode' : 'has its mode confirmed'}`, async () => {
    if (profile === 'documented') {
      await lab.waitForStatus(({ provide }) => provide.confirmed === 'public');
      return;
    }
    const { phase, reasons } = await lab.waitForStatus((status) => status.reasons.length > 0);
    expect({ phase, codes: reasons.map(({ code }) => code) }).toEqual({
      phase: 'providing',
      codes: ['operation-not-served'],
    });
    // Something else may come and go beside it, and is said with it.
    const said = () =>
      agent.lines
        .filter((line) => line.includes('"phase":"providing"'))
        .map((line) => line.includes('operation-not-served'))
        .filter((isSaid, index, all) => isSaid && all[index - 1] !== true).length;
    await runOnDevice(lab, ['provide', 'friends']);
    await runOnDevice(lab, ['provide', 'auto']);
    expect(said()).toBe(1);
  });

  it('refuses everything at once in mode none, and opens again', async () => {
    const order = await runOnDevice(lab, ['provide', 'none']);
    expect(order).toMatchObject({ exitCode: 0, text: expect.stringContaining('none') });
    expect(await lab.probe(addresses.internet, webPort)).toBe('refused');
    const idle = await lab.status();
    expect(idle).toMatchObject({
      phase: 'idle',
      gateway: { open: false },
      provide: { effective: 'none' },
    });
    await runOnDevice(lab, ['provide', 'auto']);
    const open = await lab.status();
    expect(open).toMatchObject({
      phase: 'providing',
      gateway: { open: true },
      provide: { override: null },
    });
    // A service that was told of the none sends nobody before the next scored block.
    if (profile === 'production')
      await expect.poll(() => lab.probe(addresses.internet, webPort)).toBe('reached');
  });

  it('ends well', async () => {
    expect(await stopAgent(agent)).toBe(0);
    expect(agent.lines.filter((line) => /"level":"(error|fatal)"/.test(line))).toEqual([]);
    const gone = await runOnDevice(lab, ['status']);
    expect(gone.exitCode).toBe(69);
    expect((await runOnDevice(lab, ['health'])).exitCode).toBe(1);
  });
});

/** Status code and body of the device's page. */
function askPage(lab: Lab, path: string): Promise<string> {
  const script = `fetch('http://127.0.0.1:9469${path}').then(async (answer) =>
    process.stdout.write(answer.status + ' ' + (await answer.text())))`;
  return lab.network.run('device', process.execPath, '-e', script);
}
