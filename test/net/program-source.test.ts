import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLineShaper } from '../../src/data-path/line-shaper.ts';
import { grantPermit, revokePermit } from '../../src/data-path/permit.ts';
import type { DataPath } from '../../src/data-path/reconcile.ts';
import { createSelfTest, type SelfTest } from '../../src/data-path/self-test.ts';
import { type DataPathHost, type DesiredDataPath, readTotals } from '../../src/data-path/state.ts';
import { removeDataPath } from '../../src/data-path/tear-down.ts';
import { toProbeNumber, toProbeTarget } from '../../src/gateway/self-test.ts';
import { createWireGuardDriver, toWish } from '../../src/source/wireguard/driver.ts';
import { parseIssuedTunnel } from '../../src/source/wireguard/parse.ts';
import { exec } from '../../src/system/exec.ts';
import { createRestoreFile } from '../../src/system/restore-file.ts';
import { isInsideLab } from '../../tools/lab/network.ts';
import { usualDesired } from '../unit/data-path/desired-fixture.ts';
import { observeAndReconcile } from '../unit/data-path/observe-and-reconcile.ts';
import { createIssued, renderIssuedText } from '../unit/source/wireguard/issued-fixture.ts';
import { createGatewayNetwork, far, type GatewayNetwork } from './gateway-network.ts';
import { createProgramDriver, wantProgram } from './support/program-source/program-driver.ts';
import { startTalker, type Talker } from './talk.ts';

const program = { device: 'program0', consumers: ['10.88.0.0/24', 'fd88::/64'] } as const;
const tunnel = 'wgside0';
const feed = 'feed0';
const ports = { count: 9000, mail: 25 };
const spec = parseIssuedTunnel(createIssued(renderIssuedText()), { isServiceOnLoopback: false });
const tunnelWish = toWish({
  kind: 'present',
  interface: tunnel,
  backend: 'auto',
  spec,
  endpoint: '198.51.100.1:51820',
  persistentKeepaliveSeconds: 25,
});

/** A device whose traffic comes from a program, alone or beside a WireGuard tunnel. */
describe.skipIf(!isInsideLab()).each([
  { where: 'alone', isBeside: false },
  { where: 'beside WireGuard', isBeside: true },
])('a TUN device that a program feeds, $where', ({ isBeside }) => {
  let network: GatewayNetwork;
  let consumer: Talker;
  let host: DataPathHost;
  let selfTest: SelfTest;
  let before: DataPath | undefined;
  let directory: string;
  let words = 0;
  const feedNetns = () => `${network.netns.consumer}-feed`;
  const desired = (change: Partial<DesiredDataPath> = {}): DesiredDataPath => ({
    ...usualDesired,
    sources: [
      ...(isBeside ? [tunnelWish] : []),
      wantProgram(program.device, ['10.88.0.1', 'fd88::1']),
    ],
    gateway: {
      ...usualDesired.gateway,
      // The far side's public addresses are of prefixes that documentation has.
      allowDestinations: ['192.0.2.0/24', '2001:db8:1::/48'],
    },
    ...change,
  });
  const pass = async (change: Partial<DesiredDataPath> = {}) => {
    before = await observeAndReconcile(host, desired(change), before);
    return before;
  };
  const onDevice = (line: string) => {
    const [name = '', ...args] = line.split(' ');
    return network.onDevice({ program: name, args, doing: line });
  };
  const refused = async (counter: string) =>
    (await network.table()).counters.get(counter)?.packets ?? 0;
  /** Sends datagrams as a consumer of the program's: how many of them the far side heard. */
  const send = async (to: string, count = 1, port = ports.count) => {
    words += 1;
    const word = `program${words}`;
    await consumer.say({ kind: 'udp', host: to, port, word, count, size: 100 });
    let heard = 0;
    for (let wait = 0; wait < 20 && heard < count; wait += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      heard = (await network.far.heard())[word] ?? 0;
    }
    return heard;
  };

  let child: ReturnType<typeof spawn> | undefined;
  /** Starts the program that feeds the device, once a pass has made that. */
  const startProgram = async () => {
    const path = join(import.meta.dirname, 'support/program-source/feed.py');
    const where = [network.netns.device, program.device, feedNetns(), feed];
    child = spawn('/usr/bin/python3', [path, ...where], { stdio: ['pipe', 'pipe', 'inherit'] });
    if (child.stdout === null) throw new Error('the program says nothing');
    await once(createInterface({ input: child.stdout }), 'line');
  };

  beforeAll(async () => {
    network = await createGatewayNetwork();
    directory = await mkdtemp(join(tmpdir(), 'tributary-program-'));
    const make = [
      `ip netns add ${feedNetns()}`,
      `ip -netns ${feedNetns()} link set lo up`,
      `ip -netns ${feedNetns()} tuntap add dev ${feed} mode tun`,
      `ip -netns ${feedNetns()} address add 10.88.0.2/24 dev ${feed}`,
      `ip -netns ${feedNetns()} address add 10.77.0.2/32 dev ${feed}`,
      `ip -netns ${feedNetns()} address add fd88::2/64 dev ${feed} nodad`,
      `ip -netns ${feedNetns()} link set ${feed} up`,
      `ip -netns ${feedNetns()} route add default dev ${feed} src 10.88.0.2`,
      `ip -netns ${feedNetns()} -6 route add default dev ${feed}`,
    ];
    await exec({ program: 'sh', args: ['-ec', make.join('\n')], doing: 'wiring the program' });
    // A pass reads and writes the settings of the namespace that it runs in, which is another.
    const settings = [
      'for which in all default uplink0; do',
      '  echo 1 >/proc/sys/net/ipv4/conf/$which/forwarding',
      '  echo 0 >/proc/sys/net/ipv4/conf/$which/rp_filter',
      '  echo 1 >/proc/sys/net/ipv6/conf/$which/forwarding',
      'done',
    ];
    await network.onDevice({
      program: 'sh',
      args: ['-ec', settings.join('\n')],
      doing: 'settings',
    });
    consumer = startTalker(feedNetns());
    await network.far.say({ kind: 'listen', tcp: [], udp: [ports.count, ports.mail] });
    const drivers = [
      ...(isBeside
        ? [createWireGuardDriver({ exec: network.onDevice, stateDirectory: directory }, tunnel)]
        : []),
      createProgramDriver(network.onDevice, program),
    ];
    host = {
      exec: network.onDevice,
      stateDirectory: directory,
      restore: createRestoreFile(directory, 'restore', () => undefined),
      line: createLineShaper(network.onDevice),
      sources: drivers,
    };
    selfTest = createSelfTest(network.onDevice, async (probes) => {
      for (const probe of probes)
        await network.device.say({
          kind: 'udp',
          host: toProbeTarget(probe),
          port: toProbeNumber(probe),
          word: 'probe',
          count: 1,
          size: 100,
        });
    });
  });
  afterAll(async () => {
    child?.stdin?.end();
    await consumer?.stop();
    await network?.remove();
    await exec({ program: 'ip', args: ['netns', 'delete', feedNetns()], doing: 'tidying' });
    await rm(directory, { recursive: true, force: true });
  });

  test('is made behind a closed fence, and needs nothing in a second pass', async () => {
    const made = await pass();
    expect(made).toMatchObject({ isFenced: true, uplink: 'uplink0' });
    expect(made.sources.map(({ observed }) => observed.kind)).toEqual(
      isBeside ? ['present', 'present'] : ['present'],
    );
    await startProgram();
    const listing = (await pass()).record?.listing;
    expect((await pass()).record?.listing).toBe(listing);
    expect(listing).toBeDefined();
    expect(await send(far.publicAnycast4)).toBe(0);
  });

  test.each([
    ['IPv4', far.publicAnycast4],
    ['IPv6', far.publicReal6],
  ])(
    'has its consumers’ packets forwarded over %s while it has a permit, and counted',
    async (_, to) => {
      await grantPermit(network.onDevice, [program.device], 600);
      const counted = readTotals(await network.table())?.up.packets ?? 0;
      expect(await send(to, 5)).toBe(5);
      expect((readTotals(await network.table())?.up.packets ?? 0) - counted).toBe(5);
    },
  );

  test.each([
    ['the home network', far.lan, 'refused_own'],
    ['the home network over IPv6', far.own6, 'refused_own'],
    ['a private address', '10.1.2.3', 'refused_special'],
    ['this device', '192.168.77.10', 'refused_host'],
    ['its own device', '10.88.0.1', 'refused_host'],
  ])('reaches not %s', async (_, to, counter) => {
    const count = await refused(counter);
    expect(await send(to)).toBe(0);
    expect(await refused(counter)).toBeGreaterThan(count);
  });

  test('reaches no blocked port', async () => {
    expect(await send(far.publicAnycast4, 1, ports.mail)).toBe(0);
  });

  test('brings no packets with addresses of other consumers', async () => {
    const forged = await refused('refused_forged');
    const args = ['netns', 'exec', feedNetns(), 'ping', '-c1', '-W1', '-I', '10.77.0.2'];
    const ping = exec({ program: 'ip', args: [...args, far.publicAnycast4], doing: 'forging' });
    await expect(ping).rejects.toThrow();
    expect(await refused('refused_forged')).toBeGreaterThan(forged);
  });

  test('hears the answers to its own consumers', async () => {
    const args = ['netns', 'exec', feedNetns(), 'ping', '-c2', '-i0.2', '-W2'];
    for (const to of [far.publicAnycast4, far.publicReal6])
      await exec({ program: 'ip', args: [...args, to], doing: `pinging ${to}` });
  });

  test.skipIf(!isBeside)('forwards nothing where the permit is the tunnel’s alone', async () => {
    await revokePermit(network.onDevice);
    await grantPermit(network.onDevice, [tunnel], 600);
    const closed = await refused('refused_closed');
    expect(await send(far.publicAnycast4, 3)).toBe(0);
    expect(await refused('refused_closed')).toBe(closed + 3);
    await grantPermit(network.onDevice, [tunnel, program.device], 600);
    expect(await send(far.publicAnycast4, 3)).toBe(3);
  });

  test('stops at the cap', async () => {
    const totals = readTotals(await network.table());
    const used = (totals?.up.bytes ?? 0) + (totals?.down.bytes ?? 0);
    await pass({ stopAtBytes: used + 500 });
    await grantPermit(network.onDevice, [program.device], 600);
    expect(await send(far.publicAnycast4, 10)).toBeLessThan(10);
    expect(await refused('refused_cap')).toBeGreaterThan(0);
    await pass();
  });

  test('has its fence tried with packets of its own, which the rules hold', async () => {
    const devices = isBeside ? [tunnel, program.device] : [program.device];
    await grantPermit(network.onDevice, devices, 600);
    const path = await pass();
    expect([...new Set(path.probes.map(({ device }) => device))]).toEqual(devices);
    selfTest.review(path);
    await selfTest.send();
    expect(selfTest.review(await pass())).toEqual({ kind: 'held' });
  });

  test('has a hole in its fence found by them, which ends the permits', async () => {
    selfTest.review(await pass());
    await onDevice('nft flush chain inet tributary destination');
    await selfTest.send();
    const table = await network.table();
    expect(selfTest.review({ table, probes: before?.probes ?? [] })?.kind).toBe('leaking');
    expect(table.sets.get('permit')).toEqual([]);
  });

  test('is closed where the permit has run out', async () => {
    await grantPermit(network.onDevice, [program.device], 1);
    await expect.poll(() => send(far.publicAnycast4)).toBe(0);
  });

  test('leaves nothing when it is taken down', async () => {
    await removeDataPath(host, async () => undefined);
    const links = await onDevice('ip -br link');
    expect(links).not.toContain(program.device);
    expect(links).not.toContain(tunnel);
    expect(await onDevice('nft list tables')).not.toContain('tributary');
    const rules = `${await onDevice('ip rule')}${await onDevice('ip -6 rule')}`;
    expect(rules).not.toMatch(/5182[01]/);
    expect(await send(far.publicAnycast4)).toBe(0);
  });
});
