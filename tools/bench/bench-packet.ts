import { hash } from 'node:crypto';
import { renderDenied } from '../../src/gateway/denied.ts';
import type { SourceDevice } from '../../src/gateway/devices.ts';
import { badMark, deniedTableName, type GatewayPolicy } from '../../src/gateway/policy.ts';
import { renderPermit, renderRuleset, toRuleset } from '../../src/gateway/ruleset.ts';
import { parseAddressList } from '../../src/system/address-list.ts';
import { exec } from '../../src/system/exec.ts';
import { computeMedian } from './medians.ts';

/*
 * `npm run bench -- packet`: what the rules cost one packet. Three namespaces on plain wires, so
 * that no tunnel hides it: a sender puts packets through the device's rules as fast as it can, and
 * the whole way to where they are dropped costs its own processor time.
 */

const [consumer, device, far] = ['bench-consumer', 'bench-device', 'bench-far'] as const;
const hosts = { consumer: '10.99.0.2', server: '9.9.9.9', device: '192.0.2.1' } as const;
const packetsEach = 60_000;
const listLength = 64_000;

const tunnel: SourceDevice = {
  name: 'tunnel0',
  isThere: true,
  mtu: 1420,
  consumers: undefined,
  isStrict: false,
  endpoint: undefined,
};
const policy: GatewayPolicy = {
  devices: [tunnel],
  uplink: 'uplink0',
  uplinkAddresses: [hosts.device],
  pagePort: undefined,
  consumerPorts: [{ first: 16_384, last: 32_767 }],
  openProtocols: [],
  tunnelEnds: [],
  ownPrefixes: ['192.168.1.0/24'],
  allowDestinations: [],
  denyDestinations: [],
  blockedPorts: [25],
  connections: { perConsumer: 512, total: 8192, newPerSecond: 64, halfOpen: 256 },
  line: {
    classOf: 'consumer',
    dropAboveBits: undefined,
    floodBits: undefined,
    isLowPriority: true,
  },
  remainingBytes: undefined,
  remainingNewBytes: undefined,
  probes: [],
};
const strict: GatewayPolicy = { ...policy, devices: [{ ...tunnel, isStrict: true }] };

const masquerading = `table inet tributary {
  chain forward { type filter hook forward priority filter; policy accept; }
  chain translate { type nat hook postrouting priority srcnat; policy accept; oifname "uplink0" masquerade; }
}
`;

/** Bytes that no list is likely to have, and that are always the same. */
function makeList(): string {
  const prefixes = Array.from({ length: listLength }, (_, index) => {
    const [one = 0, two = 0, three = 0] = Buffer.from(hash('sha256', `${index}`), 'hex');
    return `${20 + (one % 100)}.${two}.${three}.0/24`;
  });
  return [...new Set(prefixes)].join('\n');
}

const sets = {
  'masquerading alone': { rules: () => masquerading, isListed: false },
  'all rules': { rules: () => renderAll(policy), isListed: false },
  'and the strict rules': { rules: () => renderAll(strict), isListed: false },
  [`and ${listLength} bad prefixes`]: { rules: () => renderAll(strict), isListed: true },
} as const;

function renderAll(own: GatewayPolicy): string {
  const none = { packets: 0, bytes: 0 };
  return `${renderRuleset(toRuleset(own), { up: none, down: none })}${renderPermit([tunnel.name], 3600)}`;
}

const kinds = {
  'UDP up': { netns: consumer, kind: 'udp', to: hosts.server, size: 200 },
  'TCP up': { netns: consumer, kind: 'tcp', to: hosts.server, size: 1000 },
  'UDP down': { netns: far, kind: 'answer', to: hosts.device, size: 1000 },
} as const;

/** Sends so many packets of one connection; prints the nanoseconds of its processor for each. */
const sender = `
import os, socket, struct, sys, time
kind, to, size, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
load = os.urandom(size)
if kind == "tcp":
    out = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_TCP)
    head = struct.pack("!HHIIBBHHH", 20001, 8080, 1, 1, 8 << 4, 0x10, 65535, 0, 0) + b"\\1" * 12
    load, place = head + load, (to, 0)
else:
    out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    mine, port = (20000, 9000) if kind == "udp" else (9000, 20000)
    out.bind(("9.9.9.9" if kind == "answer" else "", mine))
    place = (to, port)
send = out.sendto
def run(count):
    for _ in range(count):
        send(load, place)
run(2000)
before = time.process_time_ns()
run(count)
print((time.process_time_ns() - before) / count)
`;

/** Runs it and prints a row for each kind of packet. */
export async function benchPacket({ rounds, isJson }: PacketBench): Promise<void> {
  await setUp();
  try {
    const samples = new Map<string, number[]>();
    // The first round warms up.
    for (let round = 0; round <= rounds; round += 1) {
      for (const [name, { rules, isListed }] of Object.entries(sets)) {
        await load(rules(), isListed);
        for (const [kind, { netns, ...packet }] of Object.entries(kinds)) {
          const { kind: word, to, size } = packet;
          const said = await run(
            netns,
            'python3',
            '-c',
            sender,
            word,
            to,
            `${size}`,
            `${packetsEach}`,
          );
          const own = samples.get(`${kind}/${name}`) ?? [];
          samples.set(`${kind}/${name}`, round === 0 ? own : [...own, Number(said)]);
        }
      }
    }
    const rows = Object.keys(kinds).map((kind) => ({
      kind,
      nanoseconds: Object.fromEntries(
        Object.keys(sets).map((name) => [
          name,
          Math.round(computeMedian(samples.get(`${kind}/${name}`) ?? [])),
        ]),
      ),
    }));
    process.stdout.write(isJson ? `${JSON.stringify({ rounds, rows })}\n` : render(rounds, rows));
  } finally {
    await Promise.all([consumer, device, far].map((netns) => ip(`netns delete ${netns}`)));
  }
}

interface PacketBench {
  readonly rounds: number;
  readonly isJson: boolean;
}

type PacketRow = { readonly kind: string; readonly nanoseconds: Readonly<Record<string, number>> };

function render(rounds: number, rows: readonly PacketRow[]): string {
  const names = Object.keys(sets);
  const line = (first: string, cells: readonly (string | number)[]) =>
    `${first.padEnd(10)}${cells.map((cell) => `${cell}`.padStart(25)).join('')}\n`;
  const head = `Medians of ${rounds} rounds, in turn: nanoseconds of processor time for a packet, from its sender to where it is dropped.\n`;
  return `${head}${line('', names)}${rows
    .map(({ kind, nanoseconds }) =>
      line(
        kind,
        names.map((name) => nanoseconds[name] ?? Number.NaN),
      ),
    )
    .join('')}`;
}

async function load(rules: string, isListed: boolean): Promise<void> {
  const lists = isListed ? [parseAddressList(makeList(), 'bench')] : [];
  const groups = [
    { name: 'bad', mark: badMark, devices: [tunnel.name], lists, isHeldTwice: false },
  ] as const;
  await nft('flush ruleset\n');
  await nft(rules);
  for (const script of renderDenied(undefined, { table: deniedTableName, groups }))
    await nft(script);
  // The answers need a connection that they answer.
  await run(consumer, 'python3', '-c', sender, 'udp', hosts.server, '10', '1');
}

async function setUp(): Promise<void> {
  for (const netns of [consumer, device, far]) await ip(`netns add ${netns}`);
  await ip(`link add ${tunnel.name} netns ${device} type veth peer name wire0 netns ${consumer}`);
  await ip(`link add uplink0 netns ${device} type veth peer name wire0 netns ${far}`);
  const lines: readonly (readonly [string, string])[] = [
    [consumer, `address add ${hosts.consumer}/24 dev wire0`],
    [device, `address add 10.99.0.1/24 dev ${tunnel.name}`],
    [device, `address add ${hosts.device}/24 dev uplink0`],
    [far, 'address add 192.0.2.2/24 dev wire0'],
    [far, `address add ${hosts.server}/32 dev lo`],
    ...[consumer, far].flatMap((netns) => [
      [netns, 'link set lo up'] as const,
      [netns, 'link set wire0 up'] as const,
    ]),
    [device, `link set ${tunnel.name} up`],
    [device, 'link set uplink0 up'],
    [consumer, 'route add default via 10.99.0.1'],
    [device, 'route add default via 192.0.2.2'],
    [far, 'route add default via 192.0.2.1'],
  ];
  for (const [netns, line] of lines) await ip(`-n ${netns} ${line}`);
  await run(device, 'sysctl', '-qw', 'net.ipv4.ip_forward=1');
  const drop =
    'table inet sink { chain ends { type filter hook prerouting priority -400; drop; }; }';
  for (const netns of [consumer, far]) await run(netns, 'nft', drop);
}

function ip(line: string): Promise<string> {
  return exec({ program: 'ip', args: line.split(' '), doing: line });
}

function run(netns: string, ...command: readonly string[]): Promise<string> {
  return exec({
    program: 'ip',
    args: ['netns', 'exec', netns, ...command],
    doing: 'measuring',
    timeoutMs: 120_000,
  });
}

async function nft(script: string): Promise<void> {
  const args = ['netns', 'exec', device, 'nft', '-f', '-'];
  await exec({ program: 'ip', args, input: script, doing: 'loading rules' });
}
