import { describe, expect, it, onTestFinished } from 'vitest';
import type { StatusDocument } from '../../src/status/document.ts';
import { type Lab, waitForDownload } from '../../tools/lab/lab.ts';
import { addresses, isInsideLab, labInternet } from '../../tools/lab/network.ts';
import { waitUntil } from '../patience.ts';
import { changeConfig, createTestLab, showLogOnFailure } from './support/test-lab.ts';

const capBytes = 12_000_000;
/** The kernel joins packets up to this size. */
const largestPacketBytes = 65_536;
/** What the device itself sends into the tunnel meanwhile, and its own tests that are refused. */
const ownBytes = 4_000;

/*
 * The lab's links join segments as real cards do, so the rules see one packet with one header where
 * the tunnel carried up to 45. What the tunnel's far end received is the count to compare with.
 */
describe.skipIf(!isInsideLab())('what is counted of a download', () => {
  it.for([
    { segments: 'as large as they can be', id: 'segl', mss: undefined },
    { segments: 'of 536 bytes', id: 'segs', mss: 536 },
  ])(
    'with segments $segments is what the tunnel carried, and the cap holds for that',
    async ({ id, mss }, context) => {
      const lab = await createTestLab({
        id,
        profile: 'documented',
        config: {
          gateway: { allow_destinations: [labInternet], permit_seconds: 5 },
          provide: { household: 'off', cap: { bytes: '1 GB', period: 'month' } },
        },
      });
      onTestFinished(() => lab.remove());
      const agent = lab.startAgent();
      showLogOnFailure(context, () => agent);
      await lab.waitForStatus(({ phase, gateway }) => phase === 'providing' && gateway.open);
      if (mss !== undefined) {
        const route = await lab.network.run('consumer', 'ip', 'route', 'get', addresses.internet);
        const [way = ''] = /(via \S+ )?dev \S+/.exec(route) ?? [];
        const words = `replace ${addresses.internet} ${way} advmss ${mss}`.split(' ');
        await lab.network.run('consumer', 'ip', 'route', ...words);
      }
      const download = await waitForDownload(lab.startDownload(4_000_000, 60));
      expect(download).toMatchObject({ isWhole: true });
      await waitUntil(async () => {
        const [counted, carried] = [
          await readCounted(lab),
          await readCarriedBytes(lab, `trib-${id}`),
        ];
        expect(carried - counted).toBeGreaterThanOrEqual(0);
        expect(carried - counted).toBeLessThan(ownBytes);
      });

      await changeConfig(lab, { provide: { cap: { bytes: `${capBytes} B` } } });
      agent.kill('SIGHUP');
      await lab.waitForStatus(({ usage }) => usage.capBytes === capBytes);
      const running = lab.startDownload(20_000_000, 60);
      await lab.waitForStatus(({ phase, gateway }) => phase === 'paused' && !gateway.open);
      running.kill();
      const counted = await readCounted(lab);
      expect(counted).toBeLessThanOrEqual(capBytes);
      expect(counted).toBeGreaterThan(capBytes - largestPacketBytes);
      expect(await readCarriedBytes(lab, `trib-${id}`)).toBeLessThanOrEqual(capBytes);
    },
  );
});

async function readCounted(lab: Lab): Promise<number> {
  const { usage }: StatusDocument = await lab.status();
  return usage.bytes;
}

/** Bytes of both directions that the device carried, each segment with its own header. */
async function readCarriedBytes(lab: Lab, device: string): Promise<number> {
  const read = async (what: string) =>
    Number(await lab.network.run('device', 'cat', `/sys/class/net/${device}/statistics/${what}`));
  return (await read('rx_bytes')) + (await read('tx_bytes'));
}
