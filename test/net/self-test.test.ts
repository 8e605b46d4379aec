import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { askAgent } from '../../src/status/socket-client.ts';
import { type Lab, webPort } from '../../tools/lab/lab.ts';
import { addresses, isInsideLab } from '../../tools/lab/network.ts';
import type { LabProcess } from '../../tools/lab/processes.ts';
import { createTestLab, showLogOnFailure } from './support/test-lab.ts';

// Namespaces are needed; test/global-setup.ts says aloud that this is left out.
describe.skipIf(!isInsideLab())('while it provides, the agent tries its own firewall', () => {
  let lab: Lab;
  let agent: LabProcess;
  let tunnel: string;
  const device = (...command: readonly string[]) => lab.network.run('device', ...command);
  /** A table of another program with one rule. */
  const addHole = async (hook: string, rule: string) => {
    const input = `table inet hole {
 chain other {
 type filter hook ${hook};
 iifname "${tunnel}" ${rule}
 }
}
`;
    await lab.network.execOn('device')({
      program: 'nft',
      args: ['-f', '-'],
      input,
      doing: 'making a hole',
    });
  };
  const listTable = () => device('nft', 'list', 'table', 'inet', 'tributary');
  /** What takes turns with the clock otherwise. */
  const tryNow = () =>
    askAgent(
      { socketPaths: [join(lab.directory, 'agent.sock')] },
      { method: 'POST', path: '/self-test' },
    );
  /** Probes that got through though they have to be refused. */
  const countLeaks = (table: string) => {
    const passed = /set probes_passed \{[^}]*elements = \{([^}]*)\}/.exec(table)?.[1] ?? '';
    const counts = [...passed.matchAll(/0x7472[0-9a-f]{4} .*?packets (\d+)/g)];
    return counts.reduce((sum, [, packets]) => sum + Number(packets), 0);
  };
  const removeHole = () => device('nft', 'delete', 'table', 'inet', 'hole');
  beforeAll(async () => {
    lab = await createTestLab({ id: 'slf', profile: 'documented' });
    agent = lab.startAgent();
    const ready = await lab.waitForStatus(
      ({ phase, gateway }) => phase === 'providing' && gateway.selfTestHeldAt !== null,
    );
    tunnel = ready.tunnel.interface;
  });
  beforeEach((context) => showLogOnFailure(context, () => agent));
  afterAll(() => lab?.remove());

  it('sends every probe, and says when the firewall last held', async () => {
    const table = await listTable();
    const arrived = /set probes_arrived \{[^}]*elements = \{([^}]*)\}/.exec(table)?.[1] ?? '';
    const departing = table.match(/comment "probe-\d+"/g) ?? [];
    expect(departing.length).toBeGreaterThanOrEqual(5);
    expect(arrived.split(',')).toHaveLength(departing.length);
    const { reasons, gateway } = await lab.status();
    expect(reasons.map(({ code }) => code)).not.toContain('self-test-failed');
    expect(gateway.open).toBe(true);
  });

  it('counts none of it as refused or forwarded', async () => {
    const before = await lab.status();
    await tryNow();
    const { gateway } = await lab.status();
    expect(gateway.selfTestHeldAt).not.toBe(before.gateway.selfTestHeldAt);
    expect(gateway.refusedPackets).toEqual(before.gateway.refusedPackets);
    expect(gateway.forwardedBytes).toEqual(before.gateway.forwardedBytes);
  });

  it('closes by itself where a hole lets a probe through, says which, and opens once it is shut', async () => {
    // A hole that leaves every rule as it is: another program takes packets for this device out of
    // the fence's way.
    await addHole(
      'prerouting priority -1',
      `ip daddr ${addresses.homeLan} ip daddr set ${addresses.internet}`,
    );
    await expect.poll(listTable).not.toMatch(/permit \{[^}]*elements/);
    expect(countLeaks(await listTable())).toBeGreaterThan(0);
    await tryNow();
    const { phase, reasons } = await lab.status();
    expect(phase).toBe('blocked');
    expect(reasons[0]).toMatchObject({
      code: 'self-test-failed',
      message: expect.stringContaining('the home network'),
    });
    expect(await lab.probe(addresses.internet, webPort)).toBe('refused');
    await removeHole();
    await tryNow();
    // The service learns of the mode later, so that it does not flap: consumers come back with it.
    await lab.waitForStatus(({ phase, gateway }) => phase === 'providing' && gateway.open);
  });

  it('closes where its probes vanish', async () => {
    await addHole('prerouting priority -310', 'meta mark != 0 drop');
    for (let times = 0; times < 3; times += 1) await tryNow();
    const { phase, reasons } = await lab.status();
    expect(phase).toBe('blocked');
    expect(reasons[0]).toMatchObject({
      code: 'self-test-failed',
      message: expect.stringContaining('vanished'),
    });
    await removeHole();
    await tryNow();
    await lab.waitForStatus(({ phase }) => phase === 'providing');
  });

  it('says so where what must pass is refused', async () => {
    await addHole('forward priority -5', 'ip daddr 1.1.1.1 drop');
    await tryNow();
    const { phase, reasons } = await lab.status();
    expect(phase).toBe('providing');
    expect(reasons[0]).toMatchObject({
      message: expect.stringContaining('refused on this device'),
    });
    await removeHole();
    await tryNow();
    expect((await lab.status()).reasons).toEqual([]);
  });
});
