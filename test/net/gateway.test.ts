import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
} from 'vitest';
import { grantPermit, revokePermit } from '../../src/data-path/permit.ts';
import { readTotals } from '../../src/data-path/state.ts';
import { type DeniedPolicy, matchesDenied, renderDenied } from '../../src/gateway/denied.ts';
import { matchesRuleset } from '../../src/gateway/matches.ts';
import {
  deniedMark,
  deniedTableName,
  type RefusalCounter,
  tableName,
} from '../../src/gateway/policy.ts';
import { renderRuleset, toRuleset } from '../../src/gateway/ruleset.ts';
import { parseAddressList } from '../../src/system/address-list.ts';
import { exec } from '../../src/system/exec.ts';
import { applyNft, observeNftOutline } from '../../src/system/nft.ts';
import { isInsideLab } from '../../tools/lab/network.ts';
import {
  consumerAddress,
  createGatewayNetwork,
  far,
  type GatewayNetwork,
  plainLine,
  tunnelDevice,
  tunnelInterface,
} from './gateway-network.ts';

const ports = { echo: 8080, mail: 25, count: 9000 };
const execFileAsync = promisify(execFile);
let network: GatewayNetwork;

const tcp = (host: string, port: number = ports.echo) =>
  network.consumer.say({ kind: 'tcp', host, port });
const refusedPackets = async (counter: RefusalCounter) =>
  (await network.table()).counters.get(counter)?.packets ?? 0;
const permit = (seconds = 600) => grantPermit(network.onDevice, [tunnelInterface], seconds);
const forwarded = async () => readTotals(await network.table());
let words = 0;

const onFar = (command: string, input?: string) => {
  const [program = '', ...args] = ['netns', 'exec', network.netns.far, ...command.split(' ')];
  return exec({
    program: 'ip',
    args: [program, ...args],
    doing: 'looking at what arrived',
    ...(input && { input }),
  });
};

/**
 * The other side answers one datagram of the consumer's with so many; whether it was told to stop.
 */
async function floodBack(address: string, count: number, pauseMs: number) {
  const script = `
    const family = process.argv[1].includes(':') ? 'udp6' : 'udp4';
    const [server, pause] = [require('node:dgram').createSocket(family), (ms) => new Promise((done) => setTimeout(done, ms))];
    let refused = false;
    server.on('error', () => { refused = true; });
    server.once('message', (_, { port, address }) => server.connect(port, address, async () => {
      for (let left = Number(process.argv[2]); left > 0; left -= 1) {
        await new Promise((sent) => server.send(Buffer.alloc(1000), (error) => sent(refused ||= error !== null)));
        if (Number(process.argv[3]) > 0) await pause(Number(process.argv[3]));
      }
      await pause(300);
      process.stdout.write(JSON.stringify({ refused }));
      process.exit();
    }));
    server.bind(5999, process.argv[1], () => process.stderr.write('ready'));`;
  const server = execFileAsync('ip', [
    'netns',
    'exec',
    network.netns.far,
    process.execPath,
    '-e',
    script,
    address,
    `${count}`,
    `${pauseMs}`,
  ]);
  await new Promise((resolve) => server.child.stderr?.once('data', resolve));
  const asker = `require('node:dgram').createSocket(process.argv[1].includes(':') ? 'udp6' : 'udp4').send('hello', 5999, process.argv[1]);`;
  const consumer = execFile('ip', [
    'netns',
    'exec',
    network.netns.consumer,
    process.execPath,
    '-e',
    asker,
    address,
  ]);
  onTestFinished(() => void consumer.kill());
  return JSON.parse((await server).stdout) as { readonly refused: boolean };
}

/** Sends datagrams from the consumer: how many of them were heard. */
async function send(host: string, count = 1, size = 100, port = ports.count): Promise<number> {
  words += 1;
  const word = `word${words}`;
  await network.consumer.say({ kind: 'udp', host, port, word, count, size });
  // Packets travel a wire within the machine in the order they were sent; a moment is for the far
  // socket's reading.
  for (let wait = 0; wait < 8 && ((await network.far.heard())[word] ?? 0) < count; wait += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return (await network.far.heard())[word] ?? 0;
}

// Packets can only be forwarded between network namespaces of one's own, which tools/lab/enter.sh
// makes.
describe.skipIf(!isInsideLab())('the gateway', () => {
  beforeAll(async () => {
    network = await createGatewayNetwork();
    await network.far.say({
      kind: 'listen',
      tcp: [ports.echo, ports.mail],
      udp: [ports.count, ports.mail],
    });
    await network.consumer.say({ kind: 'listen', tcp: [ports.echo], udp: [ports.count] });
  });
  afterAll(() => network?.remove());
  // What is still being sent again would be counted in the next test.
  afterEach(() =>
    Promise.all([network.consumer.say({ kind: 'close' }), network.far.say({ kind: 'close' })]),
  );
  beforeEach(async () => {
    await applyNft(
      network.onDevice,
      `table inet ${tableName}\ndelete table inet ${tableName}\n`,
      'starting anew',
    );
    await network.apply();
    await permit();
  });

  describe('forwards to the public Internet', () => {
    test.each([far.public4, far.publicAnycast4, far.public6, far.publicReal6])(
      'at %s',
      async (address) => {
        expect(await tcp(address)).toBe('reached');
        expect(await send(address)).toBe(1);
        const totals = await forwarded();
        expect(
          [totals?.up.packets ?? 0, totals?.down.packets ?? 0].every((packets) => packets > 0),
        ).toBe(true);
      },
    );
  });

  describe('refuses, and counts as what', () => {
    const cases: readonly [string, RefusalCounter, number?][] = [
      ...far.private.map((address): [string, RefusalCounter] => [address, 'refused_special']),
      ...far.private6.map((address): [string, RefusalCounter] => [address, 'refused_special']),
      [far.lan, 'refused_own'],
      ['192.168.77.1', 'refused_own'],
      ['192.168.77.200', 'refused_own'],
      [far.own6, 'refused_own'],
      ...far.home6.map((address): [string, RefusalCounter] => [address, 'refused_own']),
      ['2a00:77:77::1', 'refused_own'],
      ['192.168.77.10', 'refused_host'],
      ['2a00:77:77::10', 'refused_host'],
      ['10.99.0.1', 'refused_host'],
      ['fd99::1', 'refused_host'],
      // The consumer's own address is of the link too.
      ['fe80::77%eth0', 'refused_forged'],
      [far.public4, 'refused_port', ports.mail],
      [far.public6, 'refused_port', ports.mail],
    ];
    test.each(cases)('%s as %s', async (address, counter, port) => {
      const before = await refusedPackets(counter);
      expect(await send(address, 3, 100, port)).toBe(0);
      // The consumer's kernel has things to say too (multicast, to nobody in particular).
      expect((await refusedPackets(counter)) - before).toBeGreaterThanOrEqual(3);
    });

    test('connections to every one of them', async () => {
      const outcomes = await Promise.all(
        cases
          .filter(([address]) => !address.includes('%'))
          .map(async ([address, _, port]) => [address, await tcp(address, port)]),
      );
      expect(outcomes.filter(([, outcome]) => outcome !== 'refused')).toEqual([]);
    });

    test('what nobody asked for, from outside', async () => {
      const say = (host: string) => network.far.say({ kind: 'tcp', host, port: ports.echo });
      expect(await Promise.all([say(consumerAddress), say('fd99::2')])).toEqual([
        'refused',
        'refused',
      ]);
      expect(await refusedPackets('refused_unsolicited')).toBeGreaterThan(1);
    });

    test('everything while it has no uplink', async () => {
      await network.apply({ uplink: undefined });
      expect(await send(far.public4)).toBe(0);
      expect(await refusedPackets('refused_uplink')).toBe(1);
    });
  });

  test('refuses ranges of ports and those of one protocol, and reaches their neighbours', async () => {
    const [before, first, last, after] = [8099, 8100, 8104, 8105];
    await network.far.say({
      kind: 'listen',
      tcp: [before, first, last, after],
      udp: [before, first, last, after],
    });
    const reached = async () => ({
      tcp: await Promise.all([before, first, last, after].map((port) => tcp(far.public4, port))),
      udp: await inTurn([before, first, last, after], (port) => send(far.public4, 1, 100, port)),
    });
    const open = { tcp: ['reached', 'reached', 'reached', 'reached'], udp: [1, 1, 1, 1] };
    const closed = { tcp: ['reached', 'refused', 'refused', 'reached'], udp: [1, 0, 0, 1] };
    expect(await reached()).toEqual(open);
    await network.apply({ blockedPorts: [`${first}-${last - 1}`, `${first + 2}-${last}`] });
    expect(await reached()).toEqual(closed);
    await network.apply({ blockedPorts: [`tcp/${first}-${last}`] });
    expect(await reached()).toEqual({ ...open, tcp: closed.tcp });
    await network.apply({ blockedPorts: [`udp/${first}`, `udp/${last}`] });
    expect(await reached()).toEqual({ ...open, udp: closed.udp });
  });

  test('refuses protocols without ports where the owner says so', async () => {
    const hears = async () => {
      const packets = (await forwarded())?.up.packets ?? 0;
      await network.onConsumer({
        program: 'perl',
        args: ['-e', sendGre, far.public4],
        doing: 'sending GRE',
      });
      return ((await forwarded())?.up.packets ?? 0) - packets;
    };
    expect(await hears()).toBe(3);
    await network.apply({ blockedPorts: ['other-protocols'] });
    expect(await hears()).toBe(0);
    expect(await send(far.public4)).toBe(1);
  });

  test('lets the owner open one address of the own network, and not its neighbour', async () => {
    await network.apply({ allowDestinations: [far.lan] });
    expect(await tcp(far.lan)).toBe('reached');
    expect(await tcp('192.168.77.1')).toBe('refused');
    expect(await tcp(far.public4)).toBe('refused');
  });

  test("lets the owner open one address of the home's IPv6 networks, and not its neighbour", async () => {
    await network.apply({ allowDestinations: [far.home6[0]] });
    expect(await tcp(far.home6[0])).toBe('reached');
    expect(await tcp(far.home6[1])).toBe('refused');
  });

  describe('with destinations that the owner denies', () => {
    const policy = (...denied: readonly string[]): DeniedPolicy => ({
      table: deniedTableName,
      groups: [
        {
          name: 'denied',
          mark: deniedMark,
          devices: [tunnelInterface],
          lists: denied.length === 0 ? [] : [parseAddressList(denied.join('\n'), 'test')],
          isHeldTwice: true,
        },
      ],
    });
    const deny = async (...denied: readonly string[]) => {
      const table = await observeNftOutline(network.onDevice, deniedTableName);
      for (const script of renderDenied(table, policy(...denied)))
        await applyNft(network.onDevice, script, 'test');
      expect(
        matchesDenied(
          await observeNftOutline(network.onDevice, deniedTableName),
          policy(...denied),
        ),
      ).toBe(true);
    };
    afterEach(() => deny());

    test('refuses them, counts them, and nothing beside, whatever else is allowed', async () => {
      await network.apply({
        allowDestinations: ['192.0.2.0/24', '2001:db8:1::/48', far.publicAnycast4],
      });
      await deny(far.publicAnycast4, '2606:4700::/32');
      for (const address of [far.publicAnycast4, far.publicReal6]) {
        const before = await refusedPackets('refused_denied');
        expect(await send(address, 3)).toBe(0);
        expect((await refusedPackets('refused_denied')) - before).toBe(3);
      }
      expect([await tcp(far.public4), await tcp(far.public6)]).toEqual(['reached', 'reached']);
      await deny(far.public4);
      expect([await tcp(far.public4), await tcp(far.publicAnycast4)]).toEqual([
        'refused',
        'reached',
      ]);
    });

    test('refuses what a long list holds by prefixes of any length, and nothing beside', async () => {
      const many = (toEntry: (index: number) => string) =>
        Array.from({ length: 1500 }, (_, index) => toEntry(index));
      const list = [
        ...many((index) => `20.${index >> 7}.${(index & 127) * 2}.1`),
        ...many((index) => `30.${index >> 6}.${(index & 63) * 4}.0/23`),
        '40.0.0.0/8',
      ];
      const [anycast, single] = [`${far.publicAnycast4}/23`, far.public4];
      const beside = { [far.publicAnycast4]: '9.9.10.0/23', [far.public4]: '192.0.2.11' };
      for (const [denied, open, entry] of [
        [far.publicAnycast4, far.public4, anycast],
        [far.public4, far.publicAnycast4, single],
        [far.publicAnycast4, far.public4, '9.0.0.0/9'],
      ] as const) {
        await deny(...list, entry, beside[open] ?? '');
        expect([await tcp(denied), await tcp(open)]).toEqual(['refused', 'reached']);
      }
      await deny(...list);
      expect([await tcp(far.public4), await tcp(far.publicAnycast4)]).toEqual([
        'reached',
        'reached',
      ]);
    });

    test('goes on refusing them when the main table is gone', async () => {
      await deny(far.publicAnycast4);
      await applyNft(network.onDevice, `delete table inet ${tableName}\n`, 'test');
      expect([await send(far.publicAnycast4), await send(far.public4)]).toEqual([0, 1]);
    });

    test('goes on refusing those given by name when every table is gone', async () => {
      await network.apply({ denyDestinations: [far.publicAnycast4, far.publicReal6] });
      await applyNft(network.onDevice, 'flush ruleset\n', 'test');
      expect([
        await send(far.publicAnycast4),
        await send(far.publicReal6),
        await send(far.public4),
      ]).toEqual([0, 0, 1]);
    });
  });

  describe('without a permit', () => {
    test('forwards nothing', async () => {
      await revokePermit(network.onDevice);
      expect(await send(far.public4, 3)).toBe(0);
      expect(await refusedPackets('refused_closed')).toBe(3);
    });

    test('stops connections that are open, and lets them go on once it is granted again', async () => {
      const echo = (waitMs: number) => network.consumer.say({ kind: 'echo', bytes: 1000, waitMs });
      expect(
        await network.consumer.say({ kind: 'open', host: far.public4, port: ports.echo }),
      ).toBe('open');
      expect(await echo(10_000)).toBe('heard');
      await revokePermit(network.onDevice);
      const before = await forwarded();
      expect(await echo(700)).toBe('silence');
      expect(await forwarded()).toEqual(before);
      await permit();
      expect(await echo(20_000)).toBe('heard');
    });

    test('that nobody renews, it closes by itself', async () => {
      await network.consumer.say({ kind: 'open', host: far.public4, port: ports.echo });
      await permit(1);
      const isOpen = async () => (await network.table()).expires.has(`permit/${tunnelInterface}`);
      while (await isOpen()) await new Promise((resolve) => setTimeout(resolve, 50));
      const before = await forwarded();
      expect(await network.consumer.say({ kind: 'echo', bytes: 1000, waitMs: 700 })).toBe(
        'silence',
      );
      expect(await forwarded()).toEqual(before);
    });
  });

  describe('with a data cap', () => {
    // 100 bytes said are 128 on the wire.
    test.each([
      [1280, 10],
      [1281, 10],
      [1407, 10],
      [1408, 11],
      [0, 0],
      [-5, 0],
    ])('of %i bytes forwards %i packets of 128', async (remainingBytes, packets) => {
      await network.apply({ remainingBytes });
      expect(await send(far.public4, 20)).toBe(packets);
      expect((await forwarded())?.up).toEqual({ packets, bytes: packets * 128 });
      expect(await refusedPackets('refused_cap')).toBeGreaterThanOrEqual(20 - packets);
    });

    test('counts both directions, to the byte', async () => {
      await network.apply({ remainingBytes: 1_000_000 });
      await network.consumer.say({ kind: 'open', host: far.public4, port: ports.echo });
      await network.consumer.say({ kind: 'echo', bytes: 3_000_000, waitMs: 1500 });
      const totals = await forwarded();
      const bytes = (totals?.up.bytes ?? 0) + (totals?.down.bytes ?? 0);
      expect(bytes).toBeLessThanOrEqual(1_000_000);
      expect(bytes).toBeGreaterThan(900_000);
    });
  });

  test('close to the cap lets only what is open go on, and says what it refused', async () => {
    await network.apply({ remainingBytes: 1_000_000, remainingNewBytes: 20_000 });
    expect(await network.consumer.say({ kind: 'open', host: far.public4, port: ports.echo })).toBe(
      'open',
    );
    expect(await network.consumer.say({ kind: 'echo', bytes: 30_000, waitMs: 5_000 })).toBe(
      'heard',
    );
    expect(await send(far.public4)).toBe(0);
    expect(
      await network.consumer.say({ kind: 'tcp', host: far.public6, port: ports.echo }),
    ).not.toBe('reached');
    expect(await refusedPackets('refused_ending')).toBeGreaterThan(1);
    expect(await refusedPackets('refused_cap')).toBe(0);
    expect(await network.consumer.say({ kind: 'echo', bytes: 30_000, waitMs: 5_000 })).toBe(
      'heard',
    );
    await network.apply();
  });

  test.each([
    ['IPv4', far.public4],
    ['IPv6', far.public6],
  ])(
    'marks %s as the least important traffic, whatever the consumer calls it',
    async (_, address) => {
      const counted = async (isMarked: boolean) => {
        await network.apply({ line: { ...plainLine, isLowPriority: isMarked } });
        await onFar(
          'nft -f -',
          'table inet seen\ndelete table inet seen\ntable inet seen {\nchain in {\ntype filter hook input priority 0;\nip dscp 1 udp length 108 counter\nip6 dscp 1 udp length 108 counter\n}\n}\n',
        );
        expect(await send(address, 5)).toBe(5);
        const text = await onFar('nft list table inet seen');
        return [...text.matchAll(/counter packets (\d+)/g)].reduce(
          (sum, [, packets]) => sum + Number(packets),
          0,
        );
      };
      expect([await counted(true), await counted(false)]).toEqual([5, 0]);
      await network.apply();
    },
  );

  test.each([
    ['IPv4', far.public4],
    ['IPv6', far.public6],
  ])(
    'tells a sender of %s that sends UDP faster than is allowed that nobody listens, and lets a slower one be',
    async (_, address) => {
      await network.apply({ line: { ...plainLine, floodBits: 800_000 } });
      const sendBack = (count: number, pauseMs: number) => floodBack(address, count, pauseMs);
      expect(await sendBack(50, 5)).toEqual({ refused: false });
      expect(await refusedPackets('refused_flood')).toBe(0);
      expect(await sendBack(2_000, 0)).toEqual({ refused: true });
      expect(await refusedPackets('refused_flood')).toBeGreaterThan(100);
      await network.apply();
    },
  );

  test('keeps a rate limit, roughly', async () => {
    const bytesPerSecond = 1_000_000;
    await network.apply({ line: { ...plainLine, dropAboveBits: bytesPerSecond * 8 } });
    const startedAt = performance.now();
    const size = 1000;
    await send(far.public4, 10_000, size);
    // The kernel's bucket holds a second's worth and the burst.
    const allowed =
      bytesPerSecond * 1.2 + (bytesPerSecond * (performance.now() - startedAt)) / 1000;
    const { up } = (await forwarded()) ?? { up: { packets: 0, bytes: 0 } };
    // What arrived counts, whatever becomes of it.
    const passed = up.bytes - (await refusedPackets('refused_rate')) * (up.bytes / up.packets);
    expect(passed).toBeGreaterThan(bytesPerSecond / 2);
    expect(passed).toBeLessThan(allowed * 1.5);
    expect(await refusedPackets('refused_rate')).toBeGreaterThan(0);
  });

  test('goes on keeping the own network out of reach when somebody flushes every rule', async () => {
    await applyNft(network.onDevice, 'flush ruleset\n', 'test');
    const hidden = [far.lan, far.own6, ...far.home6, ...far.private, ...far.private6];
    const heard = [];
    for (const address of hidden) heard.push(await send(address));
    expect(heard).toEqual(hidden.map(() => 0));
    // The way there is open otherwise: only the routes hold now.
    expect(await send(far.public4)).toBe(1);
    await network.apply();
  });

  test('goes on keeping them out of reach when somebody removes every routing rule of the fence', async () => {
    for (const family of ['-4', '-6']) {
      const args = [family, 'rule', 'delete', 'priority', '5181'];
      await network.onDevice({ program: 'ip', args, doing: 'test' });
    }
    const hidden = [far.lan, far.own6, ...far.home6, ...far.private, ...far.private6];
    const heard = [];
    for (const address of hidden) heard.push(await send(address));
    expect(heard).toEqual(hidden.map(() => 0));
    expect(await send(far.public4)).toBe(1);
  });

  test.each([
    [far.public4, 1420, 1380],
    [far.public6, 1420, 1360],
    [far.public4, 1280, 1240],
  ])(
    'tells connections to %s through an MTU of %i to send segments of %i at most',
    async (host, tunnelMtu, most) => {
      await network.apply({ devices: [{ ...tunnelDevice, mtu: tunnelMtu }] });
      expect(await network.consumer.say({ kind: 'open', host, port: ports.echo })).toBe('open');
      await network.consumer.say({ kind: 'echo', bytes: 10_000, waitMs: 5000 });
      const sizes = await network.segmentSizes();
      expect(sizes).toHaveLength(2);
      for (const size of sizes) expect([size <= most, size > most - 40]).toEqual([true, true]);
      await network.consumer.say({ kind: 'close' });
    },
  );

  test('lets nothing leave by an address that the uplink no longer has, and goes on where it is there again', async () => {
    const echo = () => network.consumer.say({ kind: 'echo', bytes: 1000, waitMs: 800 });
    expect(await network.consumer.say({ kind: 'open', host: far.public4, port: ports.echo })).toBe(
      'open',
    );
    expect(await echo()).toBe('heard');
    await network.apply({ uplinkAddresses: ['192.168.77.11'] });
    const [refused, sent] = [
      await refusedPackets('refused_invalid'),
      (await forwarded())?.up.packets,
    ];
    expect(await echo()).toBe('silence');
    expect(await refusedPackets('refused_invalid')).toBeGreaterThan(refused);
    expect((await forwarded())?.up.packets).toBe(sent);
    await network.apply();
    await expect.poll(echo).toBe('heard');
  });

  test('is replaced in one step: nothing leaks while a consumer floods the own network', async () => {
    const policy = await network.apply();
    let isOver = false;
    const flood = (async () => {
      let heard = 0;
      while (!isOver) heard += await send(far.lan, 2000);
      return heard;
    })();
    for (let round = 0; round < 30; round += 1) {
      const ruleset = toRuleset({ ...policy, blockedPorts: [25, 1000 + round] });
      await applyNft(network.onDevice, renderRuleset(ruleset, { up: zero, down: zero }), 'test');
      expect(matchesRuleset(await network.table(), ruleset)).toBe(true);
    }
    isOver = true;
    expect(await flood).toBe(0);
    expect(await refusedPackets('refused_own')).toBeGreaterThan(1000);
  });
});

async function inTurn<Item, Result>(
  items: readonly Item[],
  act: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await act(item));
  return results;
}

/** Three packets of a protocol that has no ports. */
const sendGre =
  'use Socket; socket(my $s, PF_INET, SOCK_RAW, 47) or die $!; send($s, "\\0" x 8, 0, pack_sockaddr_in(0, inet_aton($ARGV[0]))) or die $! for 1..3';

const zero = { packets: 0, bytes: 0 };
