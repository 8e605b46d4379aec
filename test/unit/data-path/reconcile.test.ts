import { describe, expect, test } from 'vitest';
import { observeTable } from '../../../src/data-path/observe.ts';
import { grantPermit, holdsPermit } from '../../../src/data-path/permit.ts';
import { readTotals } from '../../../src/data-path/state.ts';
import { TributaryError } from '../../../src/errors/codes.ts';
import type { SourceDevice } from '../../../src/gateway/devices.ts';
import { matchesRuleset } from '../../../src/gateway/matches.ts';
import type { GatewayPolicy, LinePolicy } from '../../../src/gateway/policy.ts';
import { renderRuleset, toRuleset } from '../../../src/gateway/ruleset.ts';
import type { Probe } from '../../../src/gateway/self-test.ts';
import { chooseConsumerPorts } from '../../../src/lib/ports.ts';
import type { SourceWish } from '../../../src/source/source.ts';
import type { Exec } from '../../../src/system/exec.ts';
import { applyNft } from '../../../src/system/nft.ts';
import { readSysctl } from '../../../src/system/sysctl.ts';
import { noTotals } from '../gateway/policy-fixture.ts';
import { createDesired, createWorld, tunnelInterface, uplink } from './data-path-world.ts';

const source = '10.93.171.5';
const ofTunnel = { device: tunnelInterface, slot: 0 };
const probes: readonly Probe[] = [
  { ...ofTunnel, family: 4, name: 'this device', source, destination: '192.168.1.10', port: 443 },
  {
    ...ofTunnel,
    family: 4,
    name: 'a metadata service',
    source,
    destination: '169.254.169.254',
    port: 443,
  },
  { ...ofTunnel, family: 4, name: 'a blocked port', source, destination: '1.1.1.1', port: 25 },
  { ...ofTunnel, family: 4, name: 'the Internet', source, destination: '1.1.1.1', port: 443 },
];

const usualLine: LinePolicy = {
  classOf: 'consumer',
  dropAboveBits: undefined,
  floodBits: undefined,
  isLowPriority: true,
};

// The keys are in the order in which a pass builds the policy, because the fingerprint is taken
// from the text.
const usualDevice: SourceDevice = {
  name: tunnelInterface,
  consumers: undefined,
  isThere: true,
  mtu: 1420,
  isStrict: false,
  endpoint: { protocol: 'ip', address: '198.51.100.1', port: 51_820 },
};

const policy: GatewayPolicy = {
  allowDestinations: [],
  denyDestinations: [],
  blockedPorts: [25],
  openProtocols: [],
  pagePort: undefined,
  connections: { total: 8192, perConsumer: 512, newPerSecond: 64, halfOpen: 256 },
  devices: [usualDevice],
  uplink,
  uplinkAddresses: ['192.168.1.10'],
  consumerPorts: chooseConsumerPorts(await readSysctl('net/ipv4/ip_local_port_range'), []),
  tunnelEnds: [],
  ownPrefixes: ['192.168.1.0/24'],
  probes,
  line: usualLine,
  remainingBytes: undefined,
  remainingNewBytes: undefined,
};

const noTunnel = {
  devices: [{ ...usualDevice, endpoint: undefined, isThere: false }],
  probes: [],
};

describe('the ruleset of a pass', () => {
  test.each<readonly [string, Parameters<typeof createDesired>, Partial<GatewayPolicy>]>([
    ['as it usually is', [], {}],
    [
      'with the MTU of the issued text',
      [{}, { DNS: 'MTU = 1300' }],
      { devices: [{ ...usualDevice, mtu: 1300 }] },
    ],
    ['without a tunnel', [{ sources: [{ kind: 'absent', device: tunnelInterface }] }], noTunnel],
    [
      'while the tunnel is left as it is',
      [{ sources: [{ kind: 'untouched', device: tunnelInterface }] }],
      noTunnel,
    ],
    [
      'with an uplink that is not there',
      [{ configuredUplink: 'gone0' }],
      { uplink: undefined, uplinkAddresses: [], probes: [] },
    ],
    [
      'with all that the owner set',
      [
        {
          gateway: {
            allowDestinations: ['192.0.2.0/24'],
            denyDestinations: ['198.51.100.0/24'],
            blockedPorts: [25, 465],
            openProtocols: ['gre'],
            pagePort: 9469,
          },
          line: { limitBits: 1e6, isHouseholdFirst: true, isLowPriority: false },
          stopAtBytes: 10 ** 9,
          newUntilBytes: 10 ** 8,
        },
      ],
      {
        allowDestinations: ['192.0.2.0/24'],
        denyDestinations: ['198.51.100.0/24'],
        blockedPorts: [25, 465],
        openProtocols: ['gre'],
        pagePort: 9469,
        // This kernel shapes nothing.
        line: {
          ...usualLine,
          classOf: undefined,
          dropAboveBits: 1e6,
          floodBits: 5e5,
          isLowPriority: false,
        },
        remainingBytes: 10 ** 9,
        remainingNewBytes: 10 ** 8,
      },
    ],
  ])('%s follows from its policy', async (_claim, [change, text], expected) => {
    const { pass } = createWorld();
    const { table, isFenced } = await pass(createDesired(change, text));
    expect([matchesRuleset(table, toRuleset({ ...policy, ...expected })), isFenced]).toEqual([
      true,
      true,
    ]);
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
    expect([
      table?.counters.get('forwarded_up'),
      table?.counters.get('forwarded_down'),
    ]).toMatchObject([totals.up, totals.down]);
    expect(table?.quotas.get('cap')?.bytes).toBe(90_000);
  });

  test('is installed with traffic held where a cap begins and a permit is there', async () => {
    const { host, pass, doings, commands } = createWorld();
    await pass(createDesired());
    await grantPermit(host.exec, [tunnelInterface], 60);
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
    const order = doings().filter((doing) =>
      /making the WireGuard|installing|bringing/.test(doing),
    );
    expect(order.map((doing) => doing.split(' ')[0])).toEqual([
      'installing',
      'making',
      'installing',
      'bringing',
    ]);
  });

  const absent: SourceWish = { kind: 'absent', device: tunnelInterface };

  test.each<
    readonly [string, readonly string[], (world: ReturnType<typeof createWorld>) => unknown]
  >([
    [
      'once with a new tunnel, where all is closed as it was left',
      ['making', 'installing', 'bringing'],
      () => 0,
    ],
    [
      'first where the new tunnel would find a permit',
      ['installing', 'making', 'installing', 'bringing'],
      ({ host }) => grantPermit(host.exec, [tunnelInterface], 60),
    ],
    [
      'first where a stranger changed it before the new tunnel',
      ['installing', 'making', 'installing', 'bringing'],
      ({ host }) => {
        const rules = renderRuleset(toRuleset({ ...policy, ...noTunnel }), noTotals, 'replace');
        return applyNft(host.exec, rules.replace('policy drop;', 'policy accept;'), 'a stranger');
      },
    ],
    [
      'first where it is gone before the new tunnel',
      ['installing', 'making', 'installing', 'bringing'],
      ({ host }) => applyNft(host.exec, 'delete table inet tributary', 'a stranger'),
    ],
  ])('is installed %s', async (_claim, expected, happen) => {
    const world = createWorld();
    await world.pass(createDesired({ sources: [absent] }));
    await happen(world);
    world.commands.length = 0;
    const { isFenced, table } = await world.pass(createDesired());
    const order = world
      .doings()
      .filter((doing) => /making the WireGuard|installing|bringing/.test(doing));
    expect(order.map((doing) => doing.split(' ')[0])).toEqual(expected);
    expect([isFenced, matchesRuleset(table, toRuleset(policy))]).toEqual([true, true]);
  });
});

describe('a fence that a stranger changed under its names', () => {
  type Tampering = readonly [string, (rules: string) => string];
  const swapped: readonly Tampering[] = [
    [
      'a rule accepts',
      (rules) => rules.replace(/counter name \w+ drop comment "own-v4"/, 'accept comment "own-v4"'),
    ],
    [
      'a rule asks less',
      (rules) => rules.replace('ip daddr @own4 counter', 'ip daddr 192.0.2.1 counter'),
    ],
    [
      'a rule lets everything return',
      (rules) => rules.replace(/fib daddr .* comment "host"/, 'return comment "host"'),
    ],
  ];
  const chains: readonly Tampering[] = [
    [
      'a chain is asked last',
      (rules) => rules.replace('forward priority filter;', 'forward priority 300;'),
    ],
    [
      'a chain is asked elsewhere',
      (rules) => rules.replace('hook input priority', 'hook output priority'),
    ],
    ['a chain accepts', (rules) => rules.replace('policy drop;', 'policy accept;')],
  ];
  const deeds = [...swapped, ...chains];

  /** The table as a pass leaves it, then as the stranger does. */
  async function createTampered(tamper: (rules: string) => string) {
    const world = createWorld();
    const { table } = await world.pass(createDesired());
    const whole = world.machine.print();
    const rules = renderRuleset(toRuleset(policy), readTotals(table) ?? noTotals, 'replace');
    expect(tamper(rules)).not.toBe(rules);
    await applyNft(world.host.exec, tamper(rules), 'a stranger');
    expect(world.machine.print()).not.toBe(whole);
    return { ...world, whole };
  }

  test.each(deeds)('is put back where %s', async (_claim, tamper) => {
    const { pass, machine, whole } = await createTampered(tamper);
    expect((await pass(createDesired())).isFenced).toBe(true);
    expect(machine.print()).toBe(whole);
  });

  test.each(deeds)('is put back where %s while no agent ran', async (_claim, tamper) => {
    const { pass, restart, machine, whole } = await createTampered(tamper);
    restart();
    expect((await pass(createDesired())).isFenced).toBe(true);
    expect(machine.print()).toBe(whole);
  });

  test.each(deeds)(
    'is no fence, and holds no permit, where %s and nothing can be applied',
    async (_claim, tamper) => {
      const { pass, host } = await createTampered(tamper);
      await grantPermit(host.exec, [tunnelInterface], 60);
      const revoked: string[] = [];
      const exec: Exec = async (command) => {
        if (command.doing === 'installing the gateway')
          throw new TributaryError('command-failed', 'no');
        if (command.doing.startsWith('ending')) revoked.push(command.doing);
        return host.exec(command);
      };
      await expect(pass(createDesired(), { exec })).rejects.toMatchObject({
        code: 'command-failed',
      });
      expect(revoked).not.toEqual([]);
      expect(holdsPermit(await observeTable(host.exec))).toBe(false);
    },
  );

  test('is not taken for the fence where the kernel keeps the stranger’s rule whatever it is told', async () => {
    const { pass, host } = await createTampered(chains[0]?.[1] ?? String);
    const exec: Exec = async (command) =>
      command.doing === 'installing the gateway'
        ? host.exec({ ...command, input: '' })
        : host.exec(command);
    // Its comments fit: only how it was listed before tells.
    expect(await pass(createDesired(), { exec })).toMatchObject({ isFenced: false });
  });

  test('loses a chain of the stranger’s own with its rules', async () => {
    const { pass, host, machine } = createWorld();
    await pass(createDesired());
    const whole = machine.print();
    const input =
      'table inet tributary {\n  chain aside {\n    type filter hook forward priority 5; policy drop;\n  }\n}\n';
    await host.exec({ program: 'nft', args: ['-f', '-'], input, doing: 'a stranger' });
    expect((await pass(createDesired())).isFenced).toBe(true);
    expect(machine.print()).toBe(whole);
  });
});

describe('the fence after a restart', () => {
  test('is loaded once more, and then found as it was recorded', async () => {
    const { pass, restart, doings, commands } = createWorld();
    await pass(createDesired());
    restart();
    commands.length = 0;
    await pass(createDesired());
    await pass(createDesired());
    expect(doings().filter((doing) => doing === 'installing the gateway')).toHaveLength(1);
  });

  test('is loaded under traffic that goes on, and what is left of the cap is not touched', async () => {
    const { pass, host, restart, commands } = createWorld();
    const desired = createDesired({ stopAtBytes: 10 ** 9 });
    await pass(desired);
    await grantPermit(host.exec, [tunnelInterface], 60);
    restart();
    commands.length = 0;
    const { table } = await pass(desired);
    expect(holdsPermit(table)).toBe(true);
    expect(table?.quotas.get('cap')?.bytes).toBe(10 ** 9);
    const told = commands.filter(({ program, args }) => program === 'nft' && args[0] === '-f');
    expect(told.map(({ doing }) => doing)).toEqual(['installing the gateway']);
    expect(told[0]?.input).not.toContain('quota cap {');
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
    expect(path).toMatchObject({
      uplink,
      sources: [{ collision: undefined, missing: undefined, observed: { kind: 'present' } }],
    });
  });

  test('routes IPv6 into the tunnel where any of its addresses is one', async () => {
    const { machine, pass } = createWorld();
    const both = createDesired(
      {},
      { Address: 'Address = 10.23.45.67, fd00::1', AllowedIPs: 'AllowedIPs = 0.0.0.0/0, ::/0' },
    );
    expect((await pass(both, { isIpv6On: true })).sources[0]?.missing).toBeUndefined();
    expect(machine.print()).toContain(`6 route default dev ${tunnelInterface} table 51820`);
    expect((await pass(both)).sources[0]?.missing).toBe('ipv6');
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
        await machine.exec({
          program: 'ip',
          args: ['-4', '-batch', '-'],
          input,
          doing: 'as the kernel does',
        });
      }
      return said;
    };
    await pass(createDesired(), { exec });
    expect(machine.print()).toBe(whole);
  });

  test('takes a tunnel down whose address the home has by now', async () => {
    const { machine, pass } = createWorld();
    await pass(createDesired());
    machine.links.set('lan9', {
      kind: undefined,
      isUp: true,
      mtu: 1500,
      addresses: ['10.23.45.1'],
      configuration: '',
    });
    expect(await pass(createDesired())).toMatchObject({
      sources: [{ collision: '10.23.45.67', observed: { kind: 'absent' } }],
    });
    expect(machine.links.has(tunnelInterface)).toBe(false);
  });

  test('makes no tunnel that ends at an address of the home, unless the owner names it', async () => {
    const { machine, pass } = createWorld();
    machine.links.set('lan9', {
      kind: undefined,
      isUp: true,
      mtu: 1500,
      addresses: ['45.77.1.9'],
      configuration: '',
    });
    const passTo = async (address: string, allowDestinations: readonly string[] = []) => {
      const { sources, gateway, ...rest } = createDesired({ publicAddresses: ['84.10.0.2'] });
      const toEnd = (wish: SourceWish) =>
        wish.kind === 'present'
          ? { ...wish, settings: { ...(wish.settings as object), endpoint: `${address}:53` } }
          : wish;
      const path = await pass({
        ...rest,
        gateway: { ...gateway, allowDestinations },
        sources: sources.map(toEnd),
      });
      return [path.sources[0]?.nearEnd, machine.links.has(tunnelInterface)];
    };
    expect(await passTo('45.77.2.2')).toEqual([undefined, true]);
    expect(await passTo('45.77.1.2')).toEqual(['45.77.1.2', false]);
    expect(await passTo('84.10.0.2')).toEqual(['84.10.0.2', false]);
    expect(await passTo('45.77.1.2', ['45.77.1.2'])).toEqual([undefined, true]);
  });

  test('gives a tunnel that was renamed its name back, and nothing else that has another kind or address', async () => {
    const { machine, pass } = createWorld();
    await pass(createDesired());
    const whole = machine.print();
    const rename = () =>
      machine.exec({
        program: 'ip',
        args: ['link', 'set', tunnelInterface, 'name', 'x9'],
        doing: 'test',
      });
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
