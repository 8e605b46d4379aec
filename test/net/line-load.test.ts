import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { countLineBits, findOwnBits } from '../../src/agent/pass/line-load.ts';
import { connectOverheadBytes, wireGuardOverheadBytes } from '../../src/source/packet-bytes.ts';
import { readCarried } from '../../src/system/traffic.ts';
import { waitForDownload } from '../../tools/lab/lab.ts';
import { deviceUplink, isInsideLab, labInternet } from '../../tools/lab/network.ts';
import { createTestLab, stopAgent } from './support/test-lab.ts';

const downloadBytes = 10_000_000;
const frameEach = 'for own in $(ls /sys/class/net); do ip link set $own gso_max_segs 1; done';

/*
 * With `provide.household: first`, what the card carries beyond the shared traffic is the
 * household's, to which sharing yields wholly. Its own traffic must never look like that.
 */
describe.skipIf(!isInsideLab())('shared traffic is not taken for the household’s', () => {
  it.each([
    { source: 'wireguard', overheadBytes: wireGuardOverheadBytes[4], device: 'trib-lload' },
    { source: 'connect', overheadBytes: connectOverheadBytes, device: 'tribc-lload' },
  ] as const)('where consumers come by $source', async ({ source, overheadBytes, device }) => {
    const folder = await mkdtemp(join(tmpdir(), 'tributary-line-load-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const lab = await createTestLab({
      id: 'lload',
      profile: 'documented',
      source,
      config: { gateway: { allow_destinations: [labInternet] }, provide: { household: 'first' } },
    });
    onTestFinished(() => lab.remove());
    // A real card carries each packet in a frame of its own; these links would carry joined ones.
    for (const host of ['home', 'device'] as const)
      await lab.network.run(host, 'sh', '-euc', frameEach);
    const agent = lab.startAgent();
    await lab.waitForStatus(({ phase, gateway }) => phase === 'providing' && gateway.open);
    await lab.consumer?.isReady;
    const read = async () => {
      const path = join(folder, 'dev');
      await writeFile(path, await lab.network.run('device', 'cat', '/proc/net/dev'));
      const mtu = Number(await lab.network.run('device', 'cat', `/sys/class/net/${device}/mtu`));
      const [shared, card] = [readCarried(device, path), readCarried(deviceUplink, path)];
      if (shared === undefined || card === undefined) throw new Error(`there is no ${device}`);
      return {
        sharedBits: countLineBits([{ ...shared, overheadBytes, mtu }]),
        cardBits: (card.rxBytes + card.txBytes) * 8,
      };
    };
    const before = await read();
    const download = await waitForDownload(lab.startDownload(downloadBytes, 60));
    expect(download).toMatchObject({ isWhole: true });
    const after = await read();
    const sharedBits = after.sharedBits - before.sharedBits;
    expect(sharedBits).toBeGreaterThan(downloadBytes * 8);
    const ownBits = findOwnBits(after.cardBits - before.cardBits, sharedBits);
    expect(ownBits).toBe(0);
    await stopAgent(agent);
  });
});
