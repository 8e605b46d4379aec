import { describe, expect, test } from 'vitest';
import { grantPermit } from '../../../src/data-path/permit.ts';
import { matchesRuleset } from '../../../src/gateway/matches.ts';
import type { GatewayPolicy } from '../../../src/gateway/policy.ts';
import { toRuleset } from '../../../src/gateway/ruleset.ts';
import type { Probe } from '../../../src/gateway/self-test.ts';
import { chooseConsumerPorts } from '../../../src/lib/consumer-ports.ts';
import type { Exec } from '../../../src/system/exec.ts';
import { readSysctl } from '../../../src/system/sysctl.ts';
import { createDesired, createWorld, tunnelInterface, uplink } from './data-path-world.ts';

const source = '10.93.171.5';
const probes: readonly Probe[] = [
  { family: 4, name: 'this device', source, destination: '192.168.1.10', port: 443 },
  { family: 4, name: 'a metadata service', source, destination: '169.254.169.254', port: 443 },
  { family: 4, name: 'a blocked port', source, destination: '1.1.1.1', port: 25 },
  { family: 4, name: 'the Internet', source, destination: '1.1.1.1', port: 443 },
];

// In the order in which a pass puts it together: the fingerprint is that of the text.
const policy: GatewayPolicy = {
  allowDestinations: [],
  denyDestinations: [],
  blockedPorts: [25],
  pagePort: undefined,
  rateLimit: { up: undefined, down: undefined },
  connections: { total: 8192, perConsumer: 512, newPerSecond: 64, halfOpen: 256 },
  tunnelInterface,
  uplink,
  isTunnelThere: true,
  peerEndpoint: '198.51.100.1:51820',
  consumerPorts: chooseConsumerPorts(await readSysctl('net/ipv4/ip_local_port_range')),
  tunnelMtu: 1420,
  ownPrefixes: ['192.168.1.0/24'],
  probes,
  remainingBytes: undefined,
};

const noTunnel = { isTunnelThere: false, peerEndpoint: undefined, probes: [] };

describe('the ruleset of a pass', () => {
  test.each<readonly [string, Parameters<typeof createDesired>, Partial<GatewayPolicy>]>([
    ['as it usually is', [], {}],
    ['with the MTU of the issued text', [{}, { DNS: 'MTU = 1300' }], { tunnelMtu: 1300 }],
    ['without a tunnel', [{ tunnel: { kind: 'absent', interface: tunnelInterface } }], noTunnel],
    ['while the tunnel is left as it is', [{ tunnel: { kind: 'untouched', interface: tunnelInterface } }], noTunnel],
    ['with an uplink that is not there', [{ configuredUplink: 'gone0' }], { uplink: undefined, probes: [] }],
    [
      'with all that the owner set',
      [
        {
          gateway: {
            allowDestinations: ['192.0.2.0/24'],
            denyDestinations: ['198.51.100.0/24'],
            blockedPorts: [25, 465],
            pagePort: 9469,
            rateLimit: { up: 1e6, down: 2e6 },
          },
          stopAtBytes: 10 ** 9,
        },
      ],
      {
        allowDestinations: ['192.0.2.0/24'],
        denyDestinations: ['198.51.100.0/24'],
        blockedPorts: [25, 465],
        pagePort: 9469,
        rateLimit: { up: 1e6, down: 2e6 },
        remainingBytes: 10 ** 9,
      },
    ],
  ])('%s is that of its policy', async (_claim, [change, text], expected) => {
    const { pass } = createWorld();
    const { table, isFenced } = await pass(createDesired(change, text));
    expect([matchesRuleset(table, toRuleset({ ...policy, ...expected })), isFenced]).toEqual([true, true]);
  });

  test.each([
    ['what the kernel counted already, of both directions', 10_000_000, 9_994_000],
    ['never less than nothing', 5_000, 0],
  ])('leaves of a cap %s', async (_claim, stopAtBytes, remaining) => {
    const { machine, pass } = createWorld();
    await pass(createDesired());
    machine.count('forwarded_up', 1, 2_000);
    machine.count('forwarded_down', 1, 4_000);
    const { table } = await pass(createDesired({ stopAtBytes }));
    expect(table?.quotas.get('cap')?.bytes).toBe(remaining);
  });

  test('begins to count where it was told, where the kernel has no counters', async () => {
    const totals = { up: { packets: 3, bytes: 4_000 }, down: { packets: 5, bytes: 6_000 } };
    const { table } = await createWorld().pass(createDesired({ totals, stopAtBytes: 100_000 }));
    expect([table?.counters.get('forwarded_up'), table?.counters.get('forwarded_down')]).toMatchObject([
      totals.up,
      totals.down,
    ]);
    expect(table?.quotas.get('cap')?.bytes).toBe(90_000);
  });

  test('is installed with traffic held where a cap begins and a permit is there', async () => {
    const { host, pass, doings, commands } = createWorld();
    await pass(createDesired());
    await grantPermit(host.exec, tunnelInterface, 60);
    commands.length = 0;
    await pass(createDesired({ stopAtBytes: 10 ** 9 }));
    expect(doings().filter((doing) => /permit|gateway/.test(doing))).toEqual([
      'ending the permit to forward',
      'installing the gateway',
    ]);
  });

  test('is installed at once where nothing can pass, once more with the new tunnel, and read each time', async () => {
    const { pass, doings } = createWorld();
    await pass(createDesired({ stopAtBytes: 10 ** 9 }));
    const table = doings().filter((doing) => /table|gateway/.test(doing));
    const installed = ['installing the gateway', 'reading nft table tributary'];
    expect(table).toEqual(['reading nft table tributary', ...installed, ...installed]);
    const order = doings().filter((doing) => /making the WireGuard|installing|bringing/.test(doing));
    expect(order.map((doing) => doing.split(' ')[0])).toEqual(['installing', 'making', 'installing', 'bringing']);
  });
});

describe('a pass', () => {
  test('that finds everything in place asks each thing once and changes nothing', async () => {
    const { machine, pass, doings, commands } = createWorld();
    await pass(createDesired());
    expect(doings()).toContain('setting the routes');
    const changes = machine.changes();
    commands.length = 0;
    const path = await pass(createDesired());
    expect(machine.changes()).toBe(changes);
    const lines = commands.map(({ program, args }) => [program, ...args].join(' '));
    expect(lines).toHaveLength(new Set(lines).size);
    expect(lines).toContain('nft -j list table inet tributary');
    expect(path).toMatchObject({ uplink, collision: undefined, missing: undefined, tunnel: { kind: 'present' } });
  });

  test('routes IPv6 into the tunnel where any of its addresses is one', async () => {
    const { machine, pass } = createWorld();
    const both = createDesired(
      {},
      { Address: 'Address = 10.23.45.67, fd00::1', AllowedIPs: 'AllowedIPs = 0.0.0.0/0, ::/0' },
    );
    expect((await pass(both, { isIpv6On: true })).missing).toBeUndefined();
    expect(machine.print()).toContain(`6 route default dev ${tunnelInterface} table 51820`);
    expect((await pass(both)).missing).toBe('ipv6');
    expect(machine.print()).not.toContain(`6 route default dev ${tunnelInterface}`);
    expect(machine.links.get(tunnelInterface)?.addresses).toEqual(['10.23.45.67']);
  });

  test('sets the routes again that went with the interface', async () => {
    const { machine, pass } = createWorld();
    await pass(createDesired());
    const whole = machine.print();
    const link = machine.links.get(tunnelInterface);
    if (link === undefined) throw new Error('there is a tunnel');
    link.kind = 'dummy';
    const exec: Exec = async (command) => {
      const said = await machine.exec(command);
      if (command.args.join(' ') === `link delete ${tunnelInterface}`) {
        const input = `route delete default dev ${tunnelInterface} table 51820\n`;
        await machine.exec({ program: 'ip', args: ['-4', '-batch', '-'], input, doing: 'as the kernel does' });
      }
      return said;
    };
    await pass(createDesired(), { exec });
    expect(machine.print()).toBe(whole);
  });

  test('takes a tunnel down whose address the home has by now', async () => {
    const { machine, pass } = createWorld();
    await pass(createDesired());
    machine.links.set('lan9', { kind: undefined, isUp: true, mtu: 1500, addresses: ['10.23.45.1'], configuration: '' });
    expect(await pass(createDesired())).toMatchObject({ collision: '10.23.45.67', tunnel: { kind: 'absent' } });
    expect(machine.links.has(tunnelInterface)).toBe(false);
  });

  test('gives a tunnel that was renamed its name back, and nothing else that has another kind or address', async () => {
    const { machine, pass } = createWorld();
    await pass(createDesired());
    const whole = machine.print();
    const rename = () =>
      machine.exec({ program: 'ip', args: ['link', 'set', tunnelInterface, 'name', 'x9'], doing: 'test' });
    await rename();
    await pass(createDesired());
    expect(machine.print()).toBe(whole);
    for (const change of [{ kind: 'veth' }, { kind: 'wireguard', addresses: ['10.9.9.9'] }]) {
      await rename();
      Object.assign(machine.links.get('x9') ?? {}, change);
      await pass(createDesired());
      expect(machine.links.has('x9')).toBe(true);
      machine.links.delete('x9');
      await pass(createDesired());
    }
  });
});
