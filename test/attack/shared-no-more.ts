import { consumerMark } from '../../src/gateway/ceilings.ts';
import { forgetOnRequest } from '../../src/namespace/forget.ts';
import { ip, attackAddresses as own, type Packet, udp } from './packet-data.ts';
import type { Row, Step } from './row.ts';
import type { Outcome } from './run-rows.ts';
import type { Result } from './scenarios.ts';
import type { AttackWorld } from './world.ts';

const why =
  'where nothing is shared any more, what was open ends both ways, and is remembered nowhere';

/** A consumer's flow with a far end where nobody answers but this program. */
interface Flow {
  readonly name: string;
  readonly far: string;
  readonly opening: readonly Step[];
  /** What each end goes on saying. */
  readonly away: Packet;
  readonly back: Packet;
}

/**
 * Mode none while flows are open: packets end both ways, both tables of connections forget them,
 * and what was open does not go on when it shares again.
 */
export async function trySharingNoMore(
  world: AttackWorld,
  share: () => Promise<void>,
): Promise<Result> {
  const flows = listFlows()
    .filter(({ far }) => world.way === 'container' || !far.includes(':'))
    .map((flow) => ({ ...flow, number: world.packets.number(1) }));
  const say = (number: number, steps: readonly Step[]) =>
    world.packets.send({ row: number, steps, marks: [], settleMs: 300 });
  const outcomes: Outcome[] = [];
  const faults: string[] = [];
  const tryAll = async (from: 'uplink' | 'tunnel', when: string) => {
    for (const { number, ...flow } of flows) {
      const row = toRow(flow, from, when);
      // As a second turn: what is late of the packets before it does not count.
      const late: Step = { from, packets: [] };
      outcomes.push({ row, ...(await say(number, [late, ...row.steps])), counters: {} });
    }
  };

  for (const { name, number, opening, back } of flows) {
    const comesBack = async () => {
      await say(number, opening);
      const { heard } = await say(number, [{ from: 'uplink', packets: [back] }]);
      return heard.some(({ point }) => point === 'tunnel');
    };
    // A contract, or a busy machine, may make the first way longer than a turn.
    if (!(await comesBack()) && !(await comesBack()) && !(await comesBack()))
      faults.push(`${name}: nothing came back before, so nothing is shown`);
  }
  for (const { name, lines } of await listRemembered(world))
    if (lines.length === 0) faults.push(`${name} remembers nothing before, so nothing is shown`);

  // On a host, a unit of root's does this for the package.
  using _forgetting =
    world.way === 'host'
      ? forgetOnRequest(
          ({ program, args }) => world.onHost(program, ...args),
          world.lab.stateDirectory,
        )
      : undefined;
  await world.lab.runCommand('provide', 'none');
  await tryAll('uplink', 'in mode none');
  faults.push(...(await waitUntilForgotten(world)));
  await share();
  await tryAll('uplink', 'after it shares again');
  // Last, because by the network's own protocol a consumer sends again what was not acknowledged,
  // and so would open the flow again.
  await world.lab.runCommand('provide', 'none');
  await tryAll('tunnel', 'in mode none');
  await share();
  return { outcomes, faults };
}

function listFlows(): readonly Flow[] {
  return ['9.9.9.8', '2606:4700::2229'].flatMap((far, index): readonly Flow[] => {
    const [udpPort, tcpPort] = [41_960 + index, 41_970 + index];
    const datagram = udp(far, 9000, {}, { sport: udpPort });
    const segment = (flags: string, seq: number): Packet => [
      ip(far),
      ['TCP', { sport: tcpPort, dport: 443, flags, seq, ack: seq }],
      ...(flags === 'PA' ? ([['Raw', { load: 'MARK' }]] as const) : []),
    ];
    const answer = (flags: string, seq: number): Packet => [
      ip(far.includes(':') ? own.device6 : own.device4, { src: far }),
      ['TCP', { sport: 443, dport: 'SEEN', flags, seq, ack: 1 }],
      ['Raw', { load: 'MARK' }],
    ];
    const away = (packet: Packet): Step => ({ from: 'tunnel', packets: [packet], waitMs: 300 });
    return [
      {
        name: `datagrams with ${far}`,
        far,
        opening: [away(datagram)],
        away: datagram,
        back: [
          ip(far.includes(':') ? own.device6 : own.device4, { src: far }),
          ['UDP', { sport: 9000, dport: 'SEEN' }],
          ['Raw', { load: 'MARK' }],
        ],
      },
      {
        name: `a connection with ${far}`,
        far,
        opening: [
          away([...segment('S', 0), ['Raw', { load: 'MARK' }]]),
          { from: 'uplink', packets: [answer('SA', 0)], waitMs: 300 },
          away(segment('A', 1)),
        ],
        away: segment('PA', 1),
        back: answer('PA', 1),
      },
    ];
  });
}

function toRow({ name, far, away, back }: Flow, from: 'uplink' | 'tunnel', when: string): Row {
  return {
    name: `${from === 'uplink' ? 'an answer' : 'the consumer'} ${when}: ${name}`,
    family: far.includes(':') ? 6 : 4,
    steps: [{ from, packets: [from === 'uplink' ? back : away] }],
    never: from === 'uplink' ? ['tunnel'] : ['internet', 'router'],
    why,
  };
}

/** Consumers' connections in each of the kernel's tables that lies on their way. */
async function listRemembered({ way, inside, onHost }: AttackWorld) {
  const mark = `${consumerMark}/0xff000000`;
  const list = async (run: AttackWorld['inside'], family: string) =>
    (await run('conntrack', '-L', '-f', family, '-m', mark))
      .split('\n')
      .filter((line) => line.includes('src='));
  const tables = [
    { name: "the agent's namespace (IPv4)", lines: await list(inside, 'ipv4') },
    ...(way === 'container'
      ? [{ name: "the agent's namespace (IPv6)", lines: await list(inside, 'ipv6') }]
      : [{ name: 'the host', lines: await list(onHost, 'ipv4') }]),
  ];
  return tables;
}

async function waitUntilForgotten(world: AttackWorld): Promise<readonly string[]> {
  const deadlineMs = performance.now() + 10_000;
  for (;;) {
    const kept = (await listRemembered(world)).filter(({ lines }) => lines.length > 0);
    if (kept.length === 0) return [];
    if (performance.now() > deadlineMs)
      return kept.map(({ name, lines }) => `${name} still has ${lines[0]}; promise: ${why}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
