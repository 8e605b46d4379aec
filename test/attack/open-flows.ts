import { changeConfig } from '../net/support/test-lab.ts';
import { ip, attackAddresses as own, type Packet, udp } from './packet-data.ts';
import type { Row, Step } from './row.ts';
import { deniedDestinations } from './rows/own-outside.ts';
import { blockedPorts } from './rows/port-ranges.ts';
import type { Outcome } from './run-rows.ts';
import type { Result } from './scenarios.ts';
import type { AttackWorld } from './world.ts';

const why =
  'what is denied, blocked or one of your own is refused both ways, also where it was open';

/** A change after which a far end is refused that a consumer speaks with. */
interface Closing {
  readonly name: string;
  readonly far: string;
  readonly port: number;
  /** True for the kernel's rules and sets once it is refused. */
  isClosed(rules: string): boolean;
  close(world: AttackWorld): Promise<void>;
  open(world: AttackWorld): Promise<void>;
}

/** Each with a far end of its own, so that none holds what another one is about. */
const closings: readonly Closing[] = [
  ...[own.public4, own.public6].flatMap((far): Closing[] => [
    {
      name: `${far} is denied`,
      far,
      port: 9301,
      isClosed: (rules) =>
        [...rules.matchAll(/set (v[46]_\w+) \{[^}]*\{([^}]*)\}/g)].some(
          ([, set, elements]) =>
            elements?.includes(far) === true && rules.includes(`saddr @${set} `),
        ),
      close: (world) => setGateway(world, { deny_destinations: [...deniedDestinations, far] }),
      open: (world) => setGateway(world, { deny_destinations: deniedDestinations }),
    },
    {
      name: `the port of ${far} is blocked`,
      far,
      port: 9302,
      isClosed: (rules) => readElements(rules, 'ports_any').includes('9302'),
      close: (world) => setGateway(world, { blocked_ports: [...blockedPorts, 9302] }),
      open: (world) => setGateway(world, { blocked_ports: blockedPorts }),
    },
    {
      name: `the port of ${far} is blocked for UDP, within a range`,
      far,
      port: 9303,
      isClosed: (rules) => readElements(rules, 'ports_udp').includes('9303'),
      close: (world) => setGateway(world, { blocked_ports: [...blockedPorts, 'udp/9303-9310'] }),
      open: (world) => setGateway(world, { blocked_ports: blockedPorts }),
    },
    {
      name: `${far} is in a network of the device's own`,
      far,
      port: 9304,
      isClosed: (rules) => /9\.9\.9\.0|2606:4700::/.test(readElements(rules, 'own[46]')),
      close: (world) => changeNetwork(world, 'add', far),
      open: (world) => changeNetwork(world, 'delete', far),
    },
  ]),
];

/**
 * Each change in turn while a flow is open: the server's packets reach the consumer before it, and
 * not after it, although the consumer sends nothing meanwhile.
 */
export async function tryOpenFlows(world: AttackWorld): Promise<Result> {
  const outcomes: Outcome[] = [];
  const faults: string[] = [];
  for (const { name, far, port, isClosed, close, open } of closings) {
    if (world.way === 'host' && far.includes(':')) continue;
    const row = toRow(name, far, port);
    const number = world.packets.number(1);
    const turn = async (from: Step['from'], packet: Packet, before: readonly Step[] = []) =>
      world.packets.send({
        row: number,
        steps: [...before, { from, packets: [packet] }],
        marks: [],
        settleMs: 300,
      });
    const answer = toAnswer(far, port);
    const openFlow = async () => {
      await turn('tunnel', udp(far, port, {}, { sport: 41_500 + (port % 100) }));
      const { heard } = await turn('uplink', answer);
      return heard.some(({ point }) => point === 'tunnel');
    };
    // A contract, or a busy machine, may make the first way longer than a turn.
    if (!(await openFlow()) && !(await openFlow()) && !(await openFlow()))
      faults.push(`${name}: nothing came back before, so nothing is shown`);
    await close(world);
    await waitUntil(world, isClosed);
    // As a second turn: what the far end's machine said late of the first packets does not count.
    const after = await turn('uplink', answer, [{ from: 'uplink', packets: [] }]);
    outcomes.push({ row, ...after, counters: {} });
    await open(world);
    await waitUntil(world, (rules) => !isClosed(rules));
  }
  return { outcomes, faults };
}

function toRow(name: string, far: string, port: number): Row {
  return {
    name: `an answer in an open flow after ${name}`,
    family: far.includes(':') ? 6 : 4,
    steps: [{ from: 'uplink', packets: [toAnswer(far, port)] }],
    never: ['tunnel'],
    why,
  };
}

function toAnswer(far: string, port: number): Packet {
  return [
    ip(far.includes(':') ? own.device6 : own.device4, { src: far }),
    ['UDP', { sport: port, dport: 'SEEN' }],
    ['Raw', { load: 'MARK' }],
  ];
}

async function setGateway(
  world: AttackWorld,
  gateway: Readonly<Record<string, unknown>>,
): Promise<void> {
  await changeConfig(world.lab, { gateway });
  world.agent().kill('SIGHUP');
}

/** A network with the far end in it, on an interface of its own. */
async function changeNetwork(
  world: AttackWorld,
  verb: 'add' | 'delete',
  far: string,
): Promise<void> {
  const near = far.includes(':') ? '2606:4700::1/64' : '9.9.9.1/24';
  const script =
    verb === 'add'
      ? `ip link add near0 type bridge; ip link set near0 up; ip address add ${near} dev near0`
      : 'ip link delete near0';
  await world.inside('sh', '-ec', script);
}

/** The elements of sets of this name, as a pattern, in the kernel's listing. */
function readElements(rules: string, name: string): string {
  const sets = rules.matchAll(new RegExp(`set ${name} \\{[^}]*elements = \\{([^}]*)\\}`, 'g'));
  return [...sets].map(([, elements]) => elements).join();
}

async function waitUntil(world: AttackWorld, holds: (rules: string) => boolean): Promise<void> {
  const deadlineMs = performance.now() + 30_000;
  for (;;) {
    // While the rules are being changed, listing them may fail.
    const rules = await world.inside('nft', 'list', 'ruleset').catch(() => undefined);
    if (rules !== undefined && holds(rules)) return;
    if (performance.now() > deadlineMs) throw new Error('the rules are unchanged after 30 s');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
