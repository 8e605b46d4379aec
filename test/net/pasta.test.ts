import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chooseWayIn } from '../../src/namespace/way-in.ts';
import { type Lab, waitForDownload, webPort } from '../../tools/lab/lab.ts';
import { addresses, isInsideLab } from '../../tools/lab/network.ts';
import { type LabProcess, startProcess } from '../../tools/lab/processes.ts';
import { createTestLab } from './support/test-lab.ts';

// Outside the lab there are no namespaces.
describe.skipIf(!isInsideLab())(
  'an agent that an ordinary user starts goes through pasta and',
  () => {
    let lab: Lab;
    let agent: LabProcess;

    beforeAll(async () => {
      lab = await createTestLab({ id: 'pasta', profile: 'documented' });
      // Without `ip netns exec NAME`, which the lab puts in front.
      const command = [...lab.command('run').slice(4), '--own-namespace'];
      const { argv } = chooseWayIn({ isRoot: false, hasPasta: true }, command);
      const asOrdinaryUser = ['unshare', '--user', '--map-user=1000', '--map-group=1000'];
      agent = startProcess({
        argv: [
          'nsenter',
          `--net=/run/netns/${lab.network.netns('device')}`,
          ...asOrdinaryUser,
          ...argv,
        ],
        // Debian's PATH for ordinary users, who are not to look where nft is.
        env: { TRIBUTARY_AUTH_CODE: lab.authCode, PATH: '/usr/local/bin:/usr/bin:/bin' },
      });
      await lab.waitForStatus((status) => status.phase === 'providing');
    });

    afterAll(async () => {
      agent?.kill();
      await agent?.exited;
      await lab?.remove();
    });

    it('forwards', async () => {
      await expect.poll(() => lab.probe(addresses.internet, webPort)).toBe('reached');
      const download = await waitForDownload(lab.startDownload(1_000_000, 30));
      expect(download).toMatchObject({ bytes: 1_000_000, isWhole: true });
    });

    it.each([
      ['the NAS', addresses.nas],
      ['the host', addresses.device],
      ['the router', addresses.homeLan],
    ])('keeps %s out of reach', async (_name, address) => {
      expect(await lab.probe(address, webPort)).toBe('refused');
    });
  },
);
