import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GIB } from '../../src/lib/units.ts';
import { profileNames } from '../../src/service/profiles.ts';
import { type Lab, waitForDownload } from '../../tools/lab/lab.ts';
import { isInsideLab } from '../../tools/lab/network.ts';
import type { LabProcess } from '../../tools/lab/processes.ts';
import { createTestLab, showLogOnFailure } from './support/test-lab.ts';

// Namespaces are needed; test/global-setup.ts says aloud that this is left out.
describe.skipIf(!isInsideLab()).each(profileNames)(
  "a %s service's statistics of a real run",
  (profile) => {
    const id = `sta${profile.slice(0, 3)}`;
    let lab: Lab;
    let agent: LabProcess;
    let clientId: string;

    /**
     * What the tunnel's own counters say, at the service's end and at the device's: both directions
     * together.
     */
    async function readCounters() {
      const sum = (text: string) =>
        text
          .split(/\s+/)
          .slice(1, 3)
          .map(Number)
          .reduce((one, other) => one + other);
      const service = sum(await lab.network.run('proxy', 'wg', 'show', `ref-${id}`, 'transfer'));
      const device = sum(await lab.network.run('device', 'wg', 'show', `trib-${id}`, 'transfer'));
      return { service, device };
    }

    /** What a command prints, asked again until the counters were equal before and after it. */
    async function askWhileStill(...args: readonly string[]) {
      for (;;) {
        const before = await readCounters();
        const view = JSON.parse(await lab.runCommand(...args, '--json'));
        const after = await readCounters();
        if (before.service === after.service && before.device === after.device)
          return { view, counters: after };
      }
    }

    beforeAll(async () => {
      lab = await createTestLab({ id, profile });
      agent = lab.startAgent();
      const status = await lab.waitForStatus(({ phase }) => phase === 'providing');
      clientId = status.client.id ?? '';
      expect(await waitForDownload(lab.startDownload(7_654_321, 60))).toMatchObject({
        isWhole: true,
      });
    });
    beforeEach((context) => showLogOnFailure(context, () => agent));
    afterAll(() => lab?.remove());

    it("agree with the tunnel's counters to the byte", async () => {
      const { view, counters } = await askWhileStill('stats');
      const [device] = view.providers;
      expect(device).toMatchObject({ clientId, isConnected: true });
      expect(device.transferGib * GIB).toBe(counters.service);
      // What the device sent and a full queue on the way dropped was counted at its end alone.
      expect(counters.device).toBeGreaterThanOrEqual(counters.service);
      expect(counters.service).toBeGreaterThan(7_654_321);
    });

    it('say the same by day, for the consumer, and over ninety days', async () => {
      const { view, counters } = await askWhileStill('stats', '--client', clientId);
      const bytes = view.days.reduce(
        (sum: number, day: { transferGib: number }) => sum + day.transferGib * GIB,
        0,
      );
      expect(bytes).toBe(counters.service);
      const ninety = await askWhileStill('stats', '--client', clientId, '--last', '90d');
      expect(ninety.view.days.at(-1).transferGib * GIB).toBeLessThanOrEqual(
        ninety.counters.service,
      );
      expect(
        ninety.view.days.reduce(
          (sum: number, day: { transferGib: number }) => sum + day.transferGib * GIB,
          0,
        ),
      ).toBe(ninety.counters.service);
    });

    it('pay for what moved at the stated rate, count one session of one consumer, and see the device online', async () => {
      const { view, counters } = await askWhileStill('stats');
      const [device] = view.providers;
      expect(device.payoutUsdc).toBeCloseTo((counters.service / GIB) * 0.05, 12);
      expect(device).toMatchObject({ contracts: 1, consumers: 1 });
      expect(device.uptimeHours).toBeGreaterThan(0);
    });

    it('lose nothing that was answered when the service is killed', async () => {
      const { view } = await askWhileStill('stats');
      lab.service().kill('SIGKILL');
      await lab.service().exited;
      await lab.restartService();
      const again = JSON.parse(await lab.runCommand('stats', '--json'));
      expect(again.providers[0].transferGib).toBeGreaterThanOrEqual(view.providers[0].transferGib);
      expect(again.providers[0].contracts).toBeGreaterThanOrEqual(view.providers[0].contracts);
    });
  },
);
