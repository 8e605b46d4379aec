import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Lab, waitForDownload } from '../../tools/lab/lab.ts';
import { addresses, deviceUplink, isInsideLab } from '../../tools/lab/network.ts';
import type { LabProcess } from '../../tools/lab/processes.ts';
import { createTestLab, showLogOnFailure } from './support/test-lab.ts';
import { upload } from './support/upload.ts';

// Namespaces are needed; test/global-setup.ts says aloud that this is left out.
describe.skipIf(!isInsideLab())('an uplink', () => {
  let lab: Lab;
  let agent: LabProcess;
  const onDevice = (command: string) => lab.network.run('device', ...command.split(' '));
  const readMtu = async () => Number(await onDevice('cat /sys/class/net/trib-uplink/mtu'));
  beforeAll(async () => {
    // Slow enough for a download to outlast what becomes of the uplink.
    const config = { provide: { rate_limit: { line: '20 Mbit' } } };
    lab = await createTestLab({ id: 'uplink', profile: 'production', config });
    agent = lab.startAgent();
    await lab.waitForStatus(({ phase }) => phase === 'providing');
  });
  beforeEach((context) => showLogOnFailure(context, () => agent));
  afterAll(() => lab?.remove());

  it.each([
    [1400, 1320],
    [1300, 1220],
    [1500, 1420],
  ])(
    'that carries %i bytes from now on gets a tunnel of %i, and takes what consumers send',
    async (mtu, tunnelMtu) => {
      await onDevice(`ip link set ${deviceUplink} mtu ${mtu}`);
      // The other end of the wire takes no more either.
      await lab.network.run('home', 'ip', 'link', 'set', 'port2', 'mtu', `${mtu}`);
      await expect.poll(readMtu).toBe(tunnelMtu);
      await expect.poll(() => upload(lab, 1500)).toBeGreaterThan(200_000);
    },
  );

  it.each([
    [
      'is turned off and on',
      [`ip link set ${deviceUplink} down`],
      [`ip link set ${deviceUplink} up`],
    ],
    [
      'loses its carrier, and so its address, which it gets again',
      [`ip address delete ${addresses.device}/24 dev ${deviceUplink}`],
      [`ip address add ${addresses.device}/24 dev ${deviceUplink}`],
    ],
  ])('that %s keeps the connections of consumers', async (_, gone, back) => {
    const running = lab.startDownload(8_000_000, 60);
    await running.waitForLine(
      (line) => Number(/^\{"progress":(\d+)/.exec(line)?.[1] ?? 0) > 500_000,
    );
    for (const command of gone) await onDevice(command);
    await lab.waitForStatus(({ gateway }) => gateway.uplink === null);
    for (const command of [...back, `ip route add default via ${addresses.homeLan}`])
      await onDevice(command);
    expect(await waitForDownload(running)).toMatchObject({ bytes: 8_000_000, isWhole: true });
  });
});
