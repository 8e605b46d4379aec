import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Lab, waitForDownload } from '../../tools/lab/lab.ts';
import { addresses, deviceUplink, isInsideLab } from '../../tools/lab/network.ts';
import type { LabProcess } from '../../tools/lab/processes.ts';
import { startReceiver } from './support/start-receiver.ts';
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

  describe('is the one that the kernel sends packets by', () => {
    const home = `via ${addresses.homeLan}`;
    /** Public addresses of the Internet's host: what the owner allows takes other routes. */
    const far = ['45.83.101.9', '185.83.101.10', '45.83.101.11', '185.83.101.12'];
    let receivers: readonly LabProcess[];

    beforeAll(async () => {
      const netns = lab.network.netns('home');
      // Both lines are one network. Without these each answers for the other's address, and the
      // router sends what is for the one by the other until it asks again, up to a minute later.
      await onDevice('sysctl -w net.ipv4.conf.all.arp_ignore=1 net.ipv4.conf.all.arp_announce=2');
      await onDevice(`ip link add line2 type veth peer port3 netns ${netns}`);
      await onDevice('ip address add 192.168.77.12/24 dev line2');
      await onDevice('ip link set line2 up');
      await lab.network.run('home', 'ip', 'link', 'set', 'port3', 'master', 'lan0', 'up');
      for (const address of far)
        await lab.network.run('internet', 'ip', 'address', 'add', `${address}/32`, 'dev', 'lo');
      receivers = await Promise.all(
        far.map((address) => startReceiver(lab, 'internet', address, 8123)),
      );
    });
    afterAll(() => {
      for (const receiver of receivers ?? []) receiver.kill();
    });

    it.each<[string, readonly string[], readonly string[], readonly string[]]>([
      [
        'several next hops',
        [deviceUplink, 'line2'],
        [`route replace default nexthop ${home} dev ${deviceUplink} nexthop ${home} dev line2`],
        [`route replace default ${home}`],
      ],
      [
        'another table by a rule',
        ['line2'],
        [`route add default ${home} dev line2 table 100`, 'rule add priority 20000 lookup 100'],
        ['rule delete priority 20000', 'route flush table 100'],
      ],
      [
        'a VPN over the two halves of the Internet',
        ['line2'],
        [`route add 0.0.0.0/1 ${home} dev line2`, `route add 128.0.0.0/1 ${home} dev line2`],
        ['route delete 0.0.0.0/1', 'route delete 128.0.0.0/1'],
      ],
    ])('with %s', async (_, uplinks, change, back) => {
      const reached = async () =>
        (await Promise.all(far.map((address) => lab.probe(address, 8123)))).join();
      try {
        for (const line of change) await onDevice(`ip ${line}`);
        await lab.waitForStatus(
          ({ phase, gateway }) => phase === 'providing' && uplinks.includes(gateway.uplink ?? ''),
        );
        await expect.poll(reached).toBe('reached,reached,reached,reached');
      } finally {
        for (const line of back) await onDevice(`ip ${line}`);
      }
      await lab.waitForStatus(
        ({ phase, gateway }) => phase === 'providing' && gateway.uplink === deviceUplink,
      );
      await expect.poll(reached).toBe('reached,reached,reached,reached');
    });

    it('and is named where it is another than its owner wants, with what leads elsewhere', async () => {
      agent.kill('SIGTERM');
      await agent.exited;
      agent = lab.startAgent({ TRIBUTARY_GATEWAY_UPLINK: 'line2' });
      const { reasons } = await lab.waitForStatus(({ reasons: own }) =>
        own.some(({ code }) => code === 'not-uplink'),
      );
      expect(reasons.map(({ message }) => message).join()).toContain(
        `leave by ${deviceUplink} and not by the uplink line2`,
      );
      expect(await lab.probe(far[0] ?? '', 8123)).toBe('refused');
      // A default route of its own, which the system does not prefer, is enough.
      await onDevice(`ip route add default ${home} dev line2 metric 600`);
      await lab.waitForStatus(
        ({ phase, reasons: own }) =>
          phase === 'providing' && !own.some(({ code }) => code === 'not-uplink'),
      );
      await expect.poll(() => lab.probe(far[0] ?? '', 8123)).toBe('reached');
    });
  });
});
