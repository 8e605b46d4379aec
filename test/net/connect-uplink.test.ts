import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Lab, waitForDownload } from '../../tools/lab/lab.ts';
import { addresses, deviceUplink, isInsideLab } from '../../tools/lab/network.ts';
import type { LabProcess } from '../../tools/lab/processes.ts';
import { createTestLab, showLogOnFailure } from './support/test-lab.ts';

const second = 'line2';
const bytes = 24_000_000;

describe.skipIf(!isInsideLab())('the network’s own protocol by another uplink', () => {
  let lab: Lab;
  let agent: LabProcess;
  const onDevice = (command: string) => lab.network.run('device', ...command.split(' '));
  /** When the engine's socket opened. */
  const readSince = async () => (await lab.status()).sources[0]?.aliveSince ?? null;
  const countSent = async () =>
    Number(await onDevice(`cat /sys/class/net/${second}/statistics/tx_bytes`));

  beforeAll(async () => {
    // Slow enough for a download to outlast the change.
    const config = { provide: { rate_limit: { line: '10 Mbit' } } };
    lab = await createTestLab({ id: 'cupl', profile: 'documented', source: 'connect', config });
    const netns = lab.network.netns('home');
    await onDevice(`ip link add ${second} type veth peer name port3 netns ${netns}`);
    await onDevice(`ip link set ${second} up`);
    await lab.network.run('home', 'ip', 'link', 'set', 'port3', 'master', 'lan0', 'up');
    agent = lab.startAgent();
    await lab.waitForStatus(({ phase }) => phase === 'providing');
    await lab.consumer?.isReady;
  });
  beforeEach((context) => showLogOnFailure(context, () => agent));
  afterAll(() => lab?.remove());

  // The address moves to the other line, so the old socket lives on: one that only flees from
  // silence would stay there for the whole download.
  it('keeps a download in its connection, and opens a socket because of the change', async () => {
    const running = lab.startDownload(bytes, 60);
    await running.waitForLine(
      (line) => Number(/^\{"progress":(\d+)/.exec(line)?.[1] ?? 0) > 500_000,
    );
    const before = await readSince();
    await onDevice(`ip address delete ${addresses.device}/24 dev ${deviceUplink}`);
    await onDevice(`ip address add ${addresses.device}/24 dev ${second}`);
    await onDevice(`ip route add default via ${addresses.homeLan} dev ${second}`);
    await lab.network.run('home', 'ip', 'neighbour', 'flush', 'dev', 'lan0');
    await lab.waitForStatus(
      ({ gateway, sources }) =>
        gateway.uplink === second && ![null, before].includes(sources[0]?.aliveSince ?? null),
    );
    const sent = await countSent();
    expect(await waitForDownload(running)).toMatchObject({ bytes, isWhole: true });
    // What consumers download is sent to the platform.
    expect((await countSent()) - sent).toBeGreaterThan(bytes / 2);
  });
});
