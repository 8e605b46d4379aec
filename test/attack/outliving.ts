import { consumerMark } from '../../src/gateway/ceilings.ts';
import { changeConfig } from '../net/support/test-lab.ts';
import { ip, attackAddresses as own, type Packet, syn, udp } from './packet-data.ts';
import type { Step } from './row.ts';
import type { Result } from './scenarios.ts';
import type { AttackWorld } from './world.ts';

const why = 'nothing of a consumer is remembered for longer around the namespace than within it';

/** Nobody answers there but this program. */
const quiet = '9.9.9.8';
/** Connections, each in another state: by their source ports, and as the kernel calls the state. */
const sources = { unanswered: 41_950, answered: 41_951, begun: 41_952, open: 41_953 } as const;
const states: Readonly<Record<keyof typeof sources, string>> = {
  unanswered: 'UNREPLIED',
  answered: '',
  begun: 'SYN_SENT',
  open: 'ESTABLISHED',
};

/** The two tables of connections have one clock, and one ceiling each that holds. */
export async function tryOutliving(world: AttackWorld): Promise<Result> {
  await openEach(world);
  const clock = await compareClocks(world);
  const ceiling = await tryCeiling(world);
  return { outcomes: [], faults: [...clock, ...ceiling] };
}

/** A connection in every state that has a time of its own. */
async function openEach(world: AttackWorld): Promise<void> {
  const away = (packet: Packet): Step => ({ from: 'tunnel', packets: [packet], waitMs: 400 });
  const back = (layer: Packet[number]): Step => ({
    from: 'uplink',
    packets: [[ip(own.device4, { src: quiet }), layer, ['Raw', { load: 'MARK' }]]],
    waitMs: 400,
  });
  const { unanswered, answered, begun, open } = sources;
  const acknowledgement: Packet = [
    ip(quiet),
    ['TCP', { sport: open, dport: 443, flags: 'A', seq: 1, ack: 1 }],
  ];
  const connections: readonly (readonly Step[])[] = [
    [away(udp(quiet, 9000, {}, { sport: unanswered }))],
    [
      away(udp(quiet, 9000, {}, { sport: answered })),
      back(['UDP', { sport: 9000, dport: 'SEEN' }]),
    ],
    [away(syn(quiet, 443, {}, { sport: begun }))],
    [
      away(syn(quiet, 443, {}, { sport: open })),
      back(['TCP', { sport: 443, dport: 'SEEN', flags: 'SA', seq: 0, ack: 1 }]),
      away(acknowledgement),
    ],
  ];
  for (const steps of connections) await send(world, steps);
}

interface Tracked {
  readonly protocol: string;
  /** For UDP, which has none, whether it was answered: UNREPLIED or nothing. */
  readonly state: string;
  readonly seconds: number;
  /** The near end's port, and the port of it that the far end sees. */
  readonly source: number;
  readonly translated: number;
}

/** What comes of each of them within the namespace, and around it. */
async function compareClocks(world: AttackWorld): Promise<readonly string[]> {
  // Around it last: by then it has less time left there, if anything.
  const within = await listTracked(world.inside, own.consumer4);
  const around = await listTracked(world.onHost, own.inside4);
  const faults = Object.entries(sources).flatMap(([name, source]) => {
    const state = within.find((one) => one.source === source)?.state;
    return state === states[name as keyof typeof sources]
      ? []
      : [`a connection that is ${name}: its state is ${state}, so nothing is shown`];
  });
  const tried = within.filter(({ source }) => Object.values<number>(sources).includes(source));
  const longer = tried.flatMap(({ protocol, state, seconds, translated }) => {
    const same = around.find((one) => one.protocol === protocol && one.source === translated);
    return same !== undefined && same.seconds > seconds + 1
      ? [
          `${protocol} ${state}: ${seconds} s left within, ${same.seconds} s around; promise: ${why}`,
        ]
      : [];
  });
  return [...faults, ...longer];
}

async function listTracked(
  run: AttackWorld['inside'],
  source: string,
): Promise<readonly Tracked[]> {
  const text = await run('conntrack', '-L', '-f', 'ipv4', '-s', source);
  return text.split('\n').flatMap((line) => {
    const [, protocol, seconds, state] = /^(\w+) +\d+ (\d+) ([A-Z_]*)/.exec(line) ?? [];
    const near = / sport=(\d+) /.exec(line)?.[1];
    const translated = / dport=(\d+) (?!.* dport=)/.exec(line)?.[1];
    return protocol === undefined || near === undefined
      ? []
      : [
          {
            protocol,
            state: state || (line.includes('[UNREPLIED]') ? 'UNREPLIED' : ''),
            seconds: Number(seconds),
            source: Number(near),
            translated: Number(translated),
          },
        ];
  });
}

/** So many connections are allowed within the namespace, and so many around it. */
const within = 40;
const around = 50;

/**
 * What the namespace has forgotten counts around it for as long as it is remembered there. The
 * namespace forgets within a second here, so that one does what takes a consumer hours.
 */
async function tryCeiling(world: AttackWorld): Promise<readonly string[]> {
  const off = { per_consumer: 0, new_per_second: 0, half_open: 0 };
  await setCeilings(world, { total: within, ...off });
  await world.inside('sysctl', '-qw', 'net.netfilter.nf_conntrack_udp_timeout=1');
  try {
    const full = await fill(world);
    const own = (await passes(world, 50_500)) ? [] : ["the agent's own connections do not pass"];
    await bringUp(world);
    await fill(world);
    const again = await countAround(world);
    return [
      ...(full < around ? [`${full} connections at most, so nothing is shown`] : []),
      ...(full > around ? [`${full} connections where ${around} are allowed`] : []),
      ...own,
      ...(again > around
        ? [`${again} connections where ${around} are allowed, after \`namespace up\` again`]
        : []),
    ].map((fault) => `around the namespace: ${fault}; promise: ${why}`);
  } finally {
    await world.inside('sysctl', '-qw', 'net.netfilter.nf_conntrack_udp_timeout=10');
    await setCeilings(world, undefined);
  }
}

async function setCeilings(
  world: AttackWorld,
  connections: Readonly<Record<string, number>> | undefined,
): Promise<void> {
  await changeConfig(world.lab, { gateway: { connections } });
  world.agent().kill('SIGHUP');
  await bringUp(world);
  const isLow = async () =>
    (
      await world.inside('nft', 'list', 'chain', 'inet', 'tributary', 'ceilings').catch(() => '')
    ).includes(`"total ${within}"`);
  const deadlineMs = performance.now() + 60_000;
  while ((await isLow()) !== (connections !== undefined)) {
    if (performance.now() > deadlineMs) throw new Error('the ceilings are unchanged after 60 s');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function bringUp({ lab, onHost }: AttackWorld): Promise<void> {
  await onHost(...lab.command('namespace', 'up').slice(4));
}

/** Opens as many as pass, lets them be forgotten within, and again: how many there were at most. */
async function fill(world: AttackWorld): Promise<number> {
  let most = 0;
  for (let times = 0; times < 10 && most < around; times += 1) {
    await waitUntilForgotten(world);
    const packets = Array.from({ length: within }, (_, index) =>
      udp(quiet, 9500 + times, {}, { sport: 42_100 + index }),
    );
    await send(world, [{ from: 'tunnel', packets }]);
    most = Math.max(most, await countAround(world));
  }
  // One more round, for what is too much.
  await waitUntilForgotten(world);
  const packets = Array.from({ length: within }, (_, index) =>
    udp(quiet, 9600, {}, { sport: 42_200 + index }),
  );
  await send(world, [{ from: 'tunnel', packets }]);
  return Math.max(most, await countAround(world));
}

async function waitUntilForgotten({ inside }: AttackWorld): Promise<void> {
  const deadlineMs = performance.now() + 120_000;
  while ((await inside('conntrack', '-L', '-p', 'udp', '-d', quiet)).includes('src=')) {
    if (performance.now() > deadlineMs) throw new Error('not forgotten after two minutes');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Consumers' connections that the host remembers, of those that fill it. */
async function countAround({ onHost }: AttackWorld): Promise<number> {
  const mark = `${consumerMark}/${consumerMark}`;
  const text = await onHost('conntrack', '-L', '-f', 'ipv4', '-s', own.inside4, '-m', mark);
  // Others were there before the ceiling was, which does not count them.
  return text.split('\n').filter((line) => / dport=9[56]\d\d /.test(line)).length;
}

/** Whether a connection of the agent's own, from a port of it, leaves the host. */
async function passes(world: AttackWorld, sport: number): Promise<boolean> {
  for (let times = 0; times < 10; times += 1) {
    const packet = udp(quiet, 9000, { src: own.inside4 }, { sport: sport + times });
    const { heard } = await send(world, [{ from: 'device', packets: [packet] }]);
    if (heard.some(({ point }) => point === 'router')) return true;
  }
  return false;
}

function send({ packets }: AttackWorld, steps: readonly Step[]) {
  return packets.send({ row: packets.number(1), steps, marks: [], settleMs: 200 });
}
