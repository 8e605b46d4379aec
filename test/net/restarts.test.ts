import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { profileNames } from '../../src/service/profiles.ts';
import { type Lab, waitForDownload } from '../../tools/lab/lab.ts';
import { isInsideLab } from '../../tools/lab/network.ts';
import type { LabProcess } from '../../tools/lab/processes.ts';
import { readForwarded, readTunnelNumber } from './support/observe-device.ts';
import { createRandom } from './support/random.ts';
import { type NastyService, nastyUrl, startNastyService } from './support/start-nasty-service.ts';
import {
  changeConfig,
  countClients,
  createTestLab,
  killAgent,
  showLogOnFailure,
  signIn,
  stopAgent,
} from './support/test-lab.ts';

/** Longer than a start takes, however busy the machine is. */
const permitSeconds = 60;
/** So short that its end can be waited for. */
const shortPermitSeconds = 5;
/** Slow enough for a download to outlast a restart. */
const rateLimit = { rate_limit: { line: '20 Mbit' } };
const isProviding = (status: { readonly phase: string }) => status.phase === 'providing';

// Namespaces are needed; test/global-setup.ts says aloud that this is left out.
describe.skipIf(!isInsideLab()).each(profileNames)(
  'a %s service and an agent that is killed',
  (profile) => {
    let lab: Lab;
    let service: NastyService;
    let agent: LabProcess | undefined;
    beforeAll(async () => {
      lab = await createTestLab({
        id: `rst${profile.slice(0, 3)}`,
        profile,
        config: {
          service: { base_url: nastyUrl, profile, allow_insecure_http: true },
          gateway: { allow_destinations: ['192.0.2.0/24'], permit_seconds: permitSeconds },
          provide: rateLimit,
        },
      });
      service = await startNastyService(lab);
      await signIn(lab);
    });
    afterAll(async () => {
      await service?.stop();
      await lab?.remove();
    });

    it('registers once, whenever it is killed', async (context) => {
      showLogOnFailure(context, () => agent);
      const { random, seed } = createRandom();
      process.stdout.write(`kill moments of ${profile}: TRIBUTARY_TEST_SEED=${seed}\n`);
      // The worst moment, made sure of: the service has a new client, and the agent does not know
      // of it.
      await service.behave({ answers: { '/network/auth-client': { kind: 'lost' } } });
      agent = lab.startAgent();
      await expect.poll(() => service.requests).toContain('lost /network/auth-client');
      await killAgent(agent);
      await service.behave({});
      for (let round = 0; round < 10; round += 1) {
        agent = lab.startAgent();
        await sleep(random() * 600);
        await killAgent(agent);
      }
      agent = lab.startAgent();
      await lab.waitForStatus(isProviding);
      expect(await countClients(lab)).toBe(1);
    });

    it('lets a running download go on, through the same tunnel, when it comes back within the permit', async (context) => {
      showLogOnFailure(context, () => agent);
      const before = await lab.waitForStatus(isProviding);
      const tunnelNumber = await readTunnelNumber(lab, before.tunnel.interface);
      const running = lab.startDownload(12_000_000, 100);
      await running.waitForLine(hasProgress(1_000_000));
      if (agent !== undefined) await killAgent(agent);
      const killedAtMs = performance.now();
      agent = lab.startAgent();
      await lab.waitForStatus(isProviding);
      // The permit is renewed early enough for half of it to be left at any moment.
      const awaySeconds = (performance.now() - killedAtMs) / 1000;
      expect(awaySeconds, 'it was back within the permit').toBeLessThan(permitSeconds / 2);
      expect(await waitForDownload(running)).toMatchObject({ bytes: 12_000_000, isWhole: true });
      expect(await readTunnelNumber(lab, before.tunnel.interface)).toBe(tunnelNumber);
      expect((await lab.status()).gateway.refusedPackets['not-providing']).toBe(
        before.gateway.refusedPackets['not-providing'],
      );
    });

    it('stops forwarding by itself when it does not come back', async (context) => {
      showLogOnFailure(context, () => agent);
      if (agent !== undefined) await stopAgent(agent);
      await changeConfig(lab, { gateway: { permit_seconds: shortPermitSeconds } });
      agent = lab.startAgent();
      await lab.waitForStatus(isProviding);
      const running = lab.startDownload(200_000_000, 60);
      await running.waitForLine(hasProgress(500_000));
      await killAgent(agent);
      const atKill = await readForwarded(lab);
      await sleep((shortPermitSeconds + 1) * 1000);
      const afterPermit = await readForwarded(lab);
      await sleep(1_000);
      expect(afterPermit, 'it did flow before').toBeGreaterThan(atKill);
      expect(await readForwarded(lab)).toBe(afterPermit);
      running.kill();
      agent = lab.startAgent();
      await lab.waitForStatus(isProviding);
      expect(await countClients(lab)).toBe(1);
    });

    it('loses no answer to its new fence after a clean stop, however slow the service is', async (context) => {
      showLogOnFailure(context, () => agent);
      if (agent !== undefined) await stopAgent(agent);
      // A device that knows its registration asks later.
      await rm(join(lab.stateDirectory, 'registration.json'));
      await service.behave({ delayMs: 5_000 });
      // On a slow machine, the first question would be out before the fence is there.
      const path = process.env.PATH ?? '';
      const slowly = `#!/bin/sh\nsleep 0.5\nPATH='${path}' exec nft "$@"\n`;
      await writeFile(join(lab.directory, 'nft'), slowly, { mode: 0o755 });
      agent = lab.startAgent({ PATH: `${lab.directory}:${path}` });
      // An answer that is dropped is waited for half a minute.
      await lab.waitForStatus((status) => status.service.reachable === true, 20_000);
      await service.behave({});
    });
  },
);

function hasProgress(bytes: number): (line: string) => boolean {
  return (line) => Number(/^\{"progress":(\d+)/.exec(line)?.[1] ?? 0) >= bytes;
}
