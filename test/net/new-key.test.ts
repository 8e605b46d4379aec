import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Lab, webPort } from '../../tools/lab/lab.ts';
import { addresses, isInsideLab } from '../../tools/lab/network.ts';
import type { LabProcess } from '../../tools/lab/processes.ts';
import {
  changeServiceKey,
  createTestLab,
  showLogOnFailure,
  stopAgent,
} from './support/test-lab.ts';

// Namespaces are needed; test/global-setup.ts says aloud that this is left out.
describe.skipIf(!isInsideLab()).each(['documented', 'production'] as const)(
  'a key that a %s service changed',
  (profile) => {
    let lab: Lab;
    let agent: LabProcess;
    const isProviding = ({ phase }: { readonly phase: string }) => phase === 'providing';
    beforeAll(async () => {
      // The next renewal is far beyond the end of the test; production's is the device's own
      // affair.
      const config = {
        service: { renew_seconds_default: 3600 },
        tunnel: { interface: 'trib-newkey' },
      };
      lab = await createTestLab({ id: 'newkey', profile, keepaliveSeconds: 3600, config });
      agent = lab.startAgent();
      await lab.waitForStatus(isProviding);
    });
    beforeEach((context) => showLogOnFailure(context, () => agent));
    afterAll(() => lab?.remove());

    it('is asked for at once where the first handshake is overdue, not with the next renewal', async () => {
      expect(await stopAgent(agent)).toBe(0);
      await changeServiceKey(lab);
      agent = lab.startAgent();
      await lab.waitForStatus(isProviding);
      await expect.poll(() => lab.probe(addresses.internet, webPort)).toBe('reached');
    });
  },
);
