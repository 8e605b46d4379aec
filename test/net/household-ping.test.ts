import { readFile } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { addresses, isInsideLab, labInternet } from '../../tools/lab/network.ts';
import { waitUntil } from '../patience.ts';
import { createTestLab, stopAgent } from './support/test-lab.ts';

const firstHop = '203.0.113.1';
const counting = `
  table inet seen {
    counter pings {}
    counter connections {}
    chain in {
      type filter hook prerouting priority -400; policy accept;
      ip saddr ${addresses.homeWan} icmp type echo-request counter name pings
      ip saddr ${addresses.homeWan} ip daddr ${addresses.proxy} tcp flags & (syn | ack) == syn counter name connections
    }
    chain silent { type filter hook input priority 0; policy accept; }
  }`;

describe.skipIf(!isInsideLab())('delays on the line', () => {
  it('are measured by one ping to the router beyond the home’s, while something is shared', async () => {
    const lab = await createTestLab({
      id: 'hping',
      // Of the other one, nobody is sent for a minute after the mode was none.
      profile: 'production',
      config: { gateway: { allow_destinations: [labInternet] }, provide: { household: 'first' } },
    });
    onTestFinished(() => lab.remove());
    await lab.network.run('internet', 'nft', counting);
    const count = async (name: 'pings' | 'connections') => {
      const words = ['list', 'counter', 'inet', 'seen', name];
      return Number(/packets (\d+)/.exec(await lab.network.run('internet', 'nft', ...words))?.[1]);
    };
    const listPings = async () => {
      const pids = (
        await lab.network.run('device', 'sh', '-c', `ip netns pids ${lab.network.netns('device')}`)
      ).trim();
      const lines = await Promise.all(
        pids.split(/\s+/).map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
      );
      return lines.map((line) => line.split('\0')).filter(([program]) => program === 'ping');
    };
    /** Waits until these are asked by ping: one may still begin, or the former one end. */
    const areAsked = (places: readonly string[]) =>
      waitUntil(async () =>
        expect((await listPings()).map((words) => words.at(-2))).toEqual(places),
      );
    const agent = lab.startAgent();
    await lab.waitForStatus(({ phase, gateway }) => phase === 'providing' && gateway.open);
    expect(await listPings()).toEqual([]);
    const measured = (place: string) =>
      lab.waitForStatus(({ provide }) => provide.household.measuredTo === place);

    lab.startDownload(100_000_000_000, 600);
    const { provide } = await measured('first-hop');
    expect(provide.household.pingProblem).toBeNull();
    await areAsked([firstHop]);
    const before = { pings: await count('pings'), connections: await count('connections') };
    await waitUntil(async () => expect(await count('pings')).toBeGreaterThan(before.pings + 10));
    expect((await count('connections')) - before.connections).toBeLessThan(3);

    // A router that falls silent is passed over for what answers behind it.
    const silence = `add rule inet seen silent ip daddr ${firstHop} icmp type echo-request drop`;
    await lab.network.run('internet', 'nft', silence);
    await measured('tunnel-end');
    await areAsked([addresses.proxy]);

    await lab.runCommand('provide', 'none');
    await areAsked([]);
    await lab.runCommand('provide', 'auto');
    // The kernel has forgotten the connection of the first one.
    lab.startDownload(100_000_000_000, 600);
    await areAsked([addresses.proxy]);
    await stopAgent(agent);
    await areAsked([]);
  });
});
