import { describe, expect, it, onTestFinished } from 'vitest';
import type { StatusDocument } from '../../src/status/document.ts';
import { type Lab, waitForDownload } from '../../tools/lab/lab.ts';
import { addresses, isInsideLab, labInternet } from '../../tools/lab/network.ts';
import { waitUntil } from '../patience.ts';
import { changeConfig, createTestLab, showLogOnFailure } from './support/test-lab.ts';
import { uploadWhole } from './support/upload.ts';

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

/*
 * The engine joins what one consumer uploads before the kernel is given it. The consumer's own
 * device sends one segment at a time here, so what it counts is what the line carried.
 */
describe.skipIf(!isInsideLab())('what is counted of an upload', () => {
  it('whose segments were joined is what the consumer sent', async (context) => {
    const lab = await createTestLab({
      id: 'segu',
      profile: 'documented',
      source: 'connect',
      config: {
        gateway: { allow_destinations: [labInternet], permit_seconds: 5 },
        // Where a kernel counts at the uplink only what a tree takes from there, this makes one.
        provide: { household: 'off', rate_limit: { line: '80 Mbit' } },
      },
    });
    onTestFinished(() => lab.remove());
    const agent = lab.startAgent();
    showLogOnFailure(context, () => agent);
    await lab.waitForStatus(({ phase, gateway }) => phase === 'providing' && gateway.open);
    await lab.consumer?.isReady;
    const route = await lab.network.run('consumer', 'ip', 'route', 'get', addresses.internet);
    const device = /dev (\S+)/.exec(route)?.[1] ?? '';
    await lab.network.run('consumer', 'ip', 'link', 'set', 'dev', device, 'gso_max_segs', '1');
    const readSent = async () => {
      const read = (what: string) =>
        lab.network.run('consumer', 'cat', `/sys/class/net/${device}/statistics/${what}`);
      return Number(await read('tx_bytes')) + Number(await read('rx_bytes'));
    };
    const [sentBefore, countedBefore] = [await readSent(), await readCounted(lab)];
    // Headers are added once the agent has compared what left with what the rules saw before, and
    // then what was missing until then comes with them: so all uploads are compared in sum.
    let joined = 0;
    for (let upload = 0; joined === 0 && upload < 5; upload++) {
      await uploadWhole(lab, 3_000_000);
      joined = await waitForHeaders(lab);
    }
    expect(joined).toBeGreaterThan(0);
    await waitUntil(async () => {
      const sent = (await readSent()) - sentBefore;
      expect(sent).toBeGreaterThan(3_000_000);
      const counted = (await readCounted(lab)) - countedBefore;
      // What a busy machine loses on the way to the device, the consumer has sent.
      expect((sent - counted) / sent).toBeGreaterThan(-0.005);
      expect((sent - counted) / sent).toBeLessThan(0.02);
    });
  });
});

/** Two passes: the headers of an upload come with one that saw nothing more. */
const passesMs = 20_000;

/** Of uploads: the headers that were added, as soon as there are any; 0 where none come. */
async function waitForHeaders(lab: Lab): Promise<number> {
  const deadlineMs = performance.now() + passesMs;
  for (;;) {
    const joined = await readJoinedBytes(lab);
    if (joined > 0 || performance.now() > deadlineMs) return joined;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Of uploads: the headers that no rule saw, as they were added. */
async function readJoinedBytes(lab: Lab): Promise<number> {
  const counter = ['list', 'counter', 'inet', 'tributary', 'merged_up'];
  const listed = await lab.network.run('device', 'nft', ...counter);
  return Number(/bytes (\d+)/.exec(listed)?.[1]);
}

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
