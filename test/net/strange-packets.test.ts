import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { grantPermit, revokePermit } from '../../src/data-path/permit.ts';
import type { RefusalCounter } from '../../src/gateway/policy.ts';
import { applyNft } from '../../src/system/nft.ts';
import { isInsideLab } from '../../tools/lab/network.ts';
import {
  consumerAddress,
  createGatewayNetwork,
  far,
  type GatewayNetwork,
  macs,
  tunnelInterface,
} from './gateway-network.ts';
import { hasScapy, type Packets, startPackets } from './support/packets.ts';

/** Addresses of the device itself, of its uplink and of its tunnel. */
const own = { v4: '192.168.77.10', v6: '2a00:77:77::10', tunnel4: '10.99.0.1', tunnel6: 'fd99::1' };
const consumer6 = 'fd99::2';
const lowPort = 20_000;
const word = (text: string) => `Raw(b"${text} ")`;

let network: GatewayNetwork;
let consumer: Packets;
let outside: Packets;
let words = 0;

const nextWord = () => {
  words += 1;
  return `strange${words}`;
};
const refusedPackets = async (counter: RefusalCounter) =>
  (await network.table()).counters.get(counter)?.packets ?? 0;
const sendFromTunnel = (...packets: readonly string[]) =>
  consumer.send(
    'eth0',
    ...packets.map((packet) => `Ether(src="${macs.consumer}", dst="${macs.tunnel}")/${packet}`),
  );
/** Frames outside that carry the word, errors that quote it as well. */
const countOutside = (text: string) => outside.count(`b"${text} " in bytes(p)`);
const udp = (source: string, text: string, header = '') =>
  source.includes(':')
    ? `IPv6(src="${source}", dst="${far.publicReal6}"${header})/UDP(sport=4000, dport=9000)/${word(text)}`
    : `IP(src="${source}", dst="${far.publicAnycast4}"${header})/UDP(sport=4000, dport=9000)/${word(text)}`;

// Packets can only be forwarded between network namespaces of one's own, which tools/lab/enter.sh
// makes.
describe.skipIf(!isInsideLab() || !hasScapy)('the gateway', () => {
  beforeAll(async () => {
    network = await createGatewayNetwork();
    consumer = startPackets(network.netns.consumer);
    outside = startPackets(network.netns.far);
    await outside.watch('wire0');
    await network.device.say({ kind: 'listen', tcp: [8080], udp: [lowPort, 9000] });
  });
  afterAll(async () => {
    await Promise.all([consumer?.stop(), outside?.stop()]);
    await network?.remove();
  });
  beforeEach(async () => {
    await applyNft(network.onDevice, 'flush ruleset\n', 'test');
    await network.apply();
    await grantPermit(network.onDevice, [tunnelInterface], 600);
  });

  /**
   * Sends once while traffic passes and once while none does: what was heard outside, and how many
   * were counted.
   */
  async function tryOpenAndClosed(counter: RefusalCounter, toPacket: (text: string) => string) {
    const text = nextWord();
    const before = await refusedPackets(counter);
    await sendFromTunnel(toPacket(text));
    await revokePermit(network.onDevice);
    await sendFromTunnel(toPacket(text));
    return { heard: await countOutside(text), counted: (await refusedPackets(counter)) - before };
  }

  test.each([
    ['the device’s own', own.v4],
    ['the device’s own', own.v6],
    ['the tunnel’s', own.tunnel4],
    ['the tunnel’s', own.tunnel6],
    ['a neighbour’s', far.lan],
    ['a neighbour’s', far.own6],
    ['loopback’s', '127.0.0.1'],
    ['nobody’s', '0.0.0.0'],
    ['nobody’s', '::'],
    ['everybody’s', '255.255.255.255'],
    ['a group’s', '224.0.0.1'],
    ['a link’s', '169.254.1.1'],
    ['a link’s', 'fe80::5'],
    ['documentation’s', '198.51.100.5'],
    ['documentation’s', '2001:db8:2::5'],
  ])('forwards nothing from %s address %s', async (_, source) => {
    const outcome = await tryOpenAndClosed('refused_forged', (text) => udp(source, text));
    expect(outcome).toEqual({ heard: 0, counted: 2 });
  });

  test.each(['::1', 'ff02::1'])(
    'forwards nothing from %s, which the kernel itself drops',
    async (source) => {
      expect(await tryOpenAndClosed('refused_forged', (text) => udp(source, text))).toMatchObject({
        heard: 0,
      });
    },
  );

  test.each([
    consumerAddress,
    '172.20.1.1',
    '192.168.78.5',
    '100.64.3.3',
    '1.2.3.4',
    consumer6,
    'fd77::1',
    '2a02::5',
  ])(
    'forwards from a consumer at %s with its own address and a port apart from its own ones',
    async (source) => {
      const text = nextWord();
      await sendFromTunnel(udp(source, text));
      const family = source.includes(':') ? 'IPv6' : 'IP';
      const address = source.includes(':') ? own.v6 : own.v4;
      const isApart = '16384 <= p[UDP].sport <= 32767';
      expect(
        await outside.count(
          `b"${text} " in bytes(p) and p[${family}].src == "${address}" and ${isApart}`,
        ),
      ).toBe(1);
      expect(await countOutside(text)).toBe(1);
    },
  );

  test('forwards a ping with its own address too', async () => {
    const text = nextWord();
    await sendFromTunnel(
      `IP(src="${consumerAddress}", dst="${far.publicAnycast4}")/ICMP()/${word(text)}`,
    );
    expect(await outside.count(`b"${text} " in bytes(p) and p[IP].src == "${own.v4}"`)).toBe(1);
    expect(await countOutside(text)).toBe(1);
  });

  // Over IPv4 the kernel itself drops it.
  test('translates what comes from its own IPv6 address, also where nothing refuses it', async () => {
    await applyNft(network.onDevice, 'flush chain inet tributary sender\n', 'test');
    const text = nextWord();
    await sendFromTunnel(udp(own.v6, text));
    expect(await outside.count(`b"${text} " in bytes(p) and 16384 <= p[UDP].sport <= 32767`)).toBe(
      1,
    );
    expect(await countOutside(text)).toBe(1);
  });

  const ip6 = `IPv6(src="${consumer6}", dst="${far.publicReal6}"`;
  const strange: readonly (readonly [string, (text: string) => string])[] = [
    ['TTL of 1', (text) => udp(consumerAddress, text, ', ttl=1')],
    ['TTL of 0', (text) => udp(consumerAddress, text, ', ttl=0')],
    ['hop limit of 1', (text) => udp(consumer6, text, ', hlim=1')],
    [
      'record of its route',
      (text) => udp(consumerAddress, text, ', options=[IPOption_RR(routers=["0.0.0.0"]*4)]'),
    ],
    [
      'route of its own',
      (text) => udp(consumerAddress, text, ', options=[IPOption_LSRR(routers=["192.168.77.20"])]'),
    ],
    [
      'option that nobody knows',
      (text) =>
        `${ip6})/IPv6ExtHdrHopByHop(options=[HBHOptUnknown(otype=0x9e, optdata=b"${text} ")])/UDP(dport=9000)/${word(text)}`,
    ],
    [
      'option for its destination',
      (text) =>
        `${ip6})/IPv6ExtHdrDestOpt(options=[HBHOptUnknown(otype=0x9e, optdata=b"${text} ")])/UDP(dport=9000)/${word(text)}`,
    ],
    [
      'routing header',
      (text) =>
        `${ip6})/IPv6ExtHdrRouting(type=0, addresses=["${far.own6}"])/UDP(dport=9000)/${word(text)}`,
    ],
    [
      'question for a neighbour',
      (text) => `${ip6}, hlim=255)/ICMPv6ND_NS(tgt="${far.own6}")/${word(text)}`,
    ],
    [
      'claim to be a neighbour',
      (text) => `${ip6}, hlim=255)/ICMPv6ND_NA(tgt="${far.own6}")/${word(text)}`,
    ],
    ['claim to be a router', (text) => `${ip6}, hlim=255)/ICMPv6ND_RA()/${word(text)}`],
    [
      'redirect',
      (text) =>
        `${ip6}, hlim=255)/ICMPv6ND_Redirect(tgt="${far.own6}", dst="${far.public6}")/${word(text)}`,
    ],
    ['question for listeners', (text) => `${ip6}, hlim=64)/ICMPv6MLQuery()/${word(text)}`],
    ['report of a listener', (text) => `${ip6}, hlim=64)/ICMPv6MLReport2()/${word(text)}`],
  ];

  test.each(strange)('neither forwards nor answers a packet with a %s', async (_, toPacket) => {
    expect(await tryOpenAndClosed('refused_strange', toPacket)).toEqual({ heard: 0, counted: 2 });
  });

  test.each([
    ['a TTL of 1', udp(consumerAddress, 'late4', ', ttl=1'), 'late4'],
    ['a hop limit of 1', udp(consumer6, 'late6', ', hlim=1'), 'late6'],
  ])('keeps an error about %s out of the home, also where it was made', async (_, packet, text) => {
    await applyNft(network.onDevice, 'flush chain inet tributary sender\n', 'test');
    const before = await refusedPackets('refused_error');
    await sendFromTunnel(packet);
    expect([await countOutside(text), (await refusedPackets('refused_error')) - before]).toEqual([
      0, 1,
    ]);
  });

  test('keeps an error out of the home that is made before any rule is asked', async () => {
    await applyNft(network.onDevice, 'flush chain inet tributary entrance\n', 'test');
    const text = nextWord();
    const option = `IPv6ExtHdrHopByHop(options=[HBHOptUnknown(otype=0x9e, optdata=b"${text} ")])`;
    const before = await refusedPackets('refused_error');
    await sendFromTunnel(
      `IPv6(src="${consumer6}", dst="${far.publicReal6}")/${option}/UDP(dport=9000)`,
    );
    expect([await countOutside(text), (await refusedPackets('refused_error')) - before]).toEqual([
      0, 1,
    ]);
  });

  test('tells a server outside that its packets are too large for the tunnel', async () => {
    await network.onDevice({
      program: 'ip',
      args: ['link', 'set', tunnelInterface, 'mtu', '1300'],
      doing: 'test',
    });
    const text = nextWord();
    await sendFromTunnel(udp(consumerAddress, text));
    const [port] = await outside.values('p[UDP].sport', `b"${text} " in bytes(p)`);
    const reply = `IP(src="${far.publicAnycast4}", dst="${own.v4}", flags="DF")/UDP(sport=9000, dport=PORT)/Raw(b"x"*1400)`;
    const mac = await readMac();
    await outside.send('wire0', `Ether(dst="${mac}")/${reply.replace('PORT', String(port))}`);
    const errors = `ICMP in p and p[ICMP].type == 3 and p[ICMP].code == 4 and p[IP].dst == "${far.publicAnycast4}"`;
    expect(await outside.count(errors)).toBe(1);
    await network.onDevice({
      program: 'ip',
      args: ['link', 'set', tunnelInterface, 'mtu', '1500'],
      doing: 'test',
    });
  });

  test('forwards nothing that is not tracked, in either direction', async () => {
    const untracked = [
      'table inet other {',
      'chain every {',
      'type filter hook prerouting priority raw',
      'notrack',
      '}',
      '}',
    ];
    const before = [
      await refusedPackets('refused_invalid'),
      await refusedPackets('refused_unsolicited'),
    ];
    await applyNft(network.onDevice, `${untracked.join('\n')}\n`, 'test');
    const text = nextWord();
    await sendFromTunnel(udp(consumerAddress, text));
    expect(await countOutside(text)).toBe(0);
    const mac = await readMac();
    await outside.send(
      'wire0',
      `Ether(dst="${mac}")/IP(src="${far.publicAnycast4}", dst="${consumerAddress}")/UDP()/${word(text)}`,
    );
    const after = [
      await refusedPackets('refused_invalid'),
      await refusedPackets('refused_unsolicited'),
    ];
    expect(after.map((packets, index) => packets - (before[index] ?? 0))).toEqual([1, 1]);
  });

  describe('to the device itself lets nobody write', () => {
    const say = (source: string, text: string, port = lowPort) =>
      outsideSend(
        `${source.includes(':') ? 'IPv6' : 'IP'}(src="${source}", dst="${source.includes(':') ? own.v6 : own.v4}")/UDP(sport=9000, dport=${port})/${word(text)}`,
      );
    const heard = async (text: string) => (await network.device.heard())[text] ?? 0;

    test.each([
      [far.publicAnycast4, lowPort],
      [far.publicAnycast4, 9000],
      [far.publicReal6, lowPort],
      ['10.1.2.3', lowPort],
    ])('from %s at port %i', async (source, port) => {
      const text = nextWord();
      const before = await refusedPackets('refused_unsolicited');
      await say(source, text, port);
      expect([await heard(text), (await refusedPackets('refused_unsolicited')) - before]).toEqual([
        0, 1,
      ]);
    });

    test.each([far.lan, far.own6])('but the own network: %s', async (source) => {
      const text = nextWord();
      await say(source, text);
      await expect.poll(() => heard(text)).toBe(1);
    });

    test('not even the other end of the tunnel, where nothing was sent to it', async () => {
      const text = nextWord();
      await say(far.publicAnycast4, text, 51_820);
      expect(await heard(text)).toBe(0);
    });

    test('and shows the page to the home, at its port alone', async () => {
      const isOpen = async () =>
        (await network.far.say({ kind: 'tcp', host: own.v4, port: 8080 })) === 'reached';
      await network.apply({ ownPrefixes: [], pagePort: undefined });
      expect(await isOpen()).toBe(false);
      await network.apply({ ownPrefixes: [], pagePort: 8080 });
      expect(await isOpen()).toBe(true);
    });
  });

  test('hears nothing from the tunnel under another name', async () => {
    const device = startPackets(network.netns.device);
    await device.makeTun('renamed0');
    const text = nextWord();
    const targets = [own.v4, own.tunnel4, far.lan, far.publicAnycast4];
    const sources = [consumerAddress, far.lan, '1.2.3.4'];
    const packets = targets.flatMap((target) =>
      sources.map(
        (source) =>
          `IP(src="${source}", dst="${target}")/UDP(sport=4000, dport=9000)/${word(text)}`,
      ),
    );
    await device.send('renamed0', ...packets);
    expect([await countOutside(text), (await network.device.heard())[text] ?? 0]).toEqual([0, 0]);
    expect(await refusedPackets('refused_stray')).toBeGreaterThanOrEqual(packets.length);
    await device.stop();
  });

  async function outsideSend(packet: string) {
    await outside.send('wire0', `Ether(dst="${await readMac()}")/${packet}`);
  }

  async function readMac() {
    const text = await network.onDevice({
      program: 'cat',
      args: ['/sys/class/net/uplink0/address'],
      doing: 'test',
    });
    return text.trim();
  }
});
