import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { grantPermit } from '../../src/data-path/permit.ts';
import { toFailure } from '../../src/errors/codes.ts';
import { applyNft } from '../../src/system/nft.ts';
import { isInsideLab } from '../../tools/lab/network.ts';
import { waitUntil } from '../patience.ts';
import {
  createGatewayNetwork,
  far,
  type GatewayNetwork,
  tunnelDevice,
  tunnelInterface,
} from './gateway-network.ts';

const kernelTunnel = 'tributary1';
const port = 4789;

/*
 * The kernel's own WireGuard hands on what it encrypted as if that had come in by the tunnel. VXLAN
 * does the same, and more kernels have it.
 */
describe.skipIf(!isInsideLab())("what a tunnel of the kernel's encrypts", () => {
  let network: GatewayNetwork;
  let failure: Error | undefined;

  beforeEach(async () => {
    network = await createGatewayNetwork();
    onTestFinished(() => network.remove());
    const device = `link add ${kernelTunnel} type vxlan id 5 remote 192.168.77.1 dstport ${port} srcport ${port} ${port + 1}`;
    failure = await runIp(device).then(() => undefined, toFailure('command-failed'));
  });

  const runIp = (line: string) =>
    network.onDevice({ program: 'ip', args: line.split(' '), doing: line });
  const handedUp = async () => (await network.table()).counters.get('handed_up')?.packets;

  it("leaves from the tunnel's own port, and counts as no consumer's", async (context) => {
    if (failure !== undefined) context.skip('this kernel has no VXLAN');
    for (const line of [
      `address add 10.98.0.1/24 dev ${kernelTunnel}`,
      `link set ${kernelTunnel} up`,
      `neighbour replace 10.98.0.2 lladdr 02:00:00:00:00:05 nud permanent dev ${kernelTunnel}`,
    ])
      await runIp(line);
    await network.apply({ devices: [tunnelDevice, { ...tunnelDevice, name: kernelTunnel }] });
    await grantPermit(network.onDevice, [tunnelInterface, kernelTunnel], 600);
    const seen = `table inet seen {
      counter own { }
      counter other { }
      chain arrival { type filter hook prerouting priority -300;
        udp dport ${port} udp sport ${port} counter name own
        udp dport ${port} udp sport != ${port} counter name other
      }
    }
    `;
    await applyNft(network.onFar, seen, 'watching what arrives');
    const arrived = async (name: string) => {
      const args = ['list', 'counter', 'inet', 'seen', name];
      const said = await network.onFar({ program: 'nft', args, doing: 'reading what arrived' });
      return Number(/packets (\d+)/.exec(said)?.[1]);
    };

    const before = (await arrived('own')) + (await arrived('other'));
    await network.device.say({
      kind: 'udp',
      host: '10.98.0.2',
      port: 9,
      word: 'in',
      count: 3,
      size: 100,
    });
    await waitUntil(async () =>
      expect((await arrived('own')) + (await arrived('other'))).toBeGreaterThanOrEqual(before + 3),
    );
    expect(await arrived('other')).toBe(0);
    expect(await handedUp()).toBe(0);

    const packet = { kind: 'udp', port: 9000, word: 'out', count: 1, size: 100 } as const;
    await network.consumer.say({ ...packet, host: far.public4 });
    await waitUntil(async () => expect(await handedUp()).toBe(1));
  });
});
