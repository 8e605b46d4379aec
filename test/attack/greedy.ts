import { attackAddresses as own, syn, udp } from './packet-data.ts';
import { readRefusals } from './run-rows.ts';
import type { Result } from './scenarios.ts';
import type { AttackWorld } from './world.ts';

const why = 'one consumer gets no further than its ceiling, and the others do not feel it';
const datagrams = 30_000;
/** All consumers together are allowed fewer than this, whatever memory there is. */
const mostTracked = 10_000;
const leastRefused = 10_000;
const neighbour = '10.99.0.3';

/** What tries to fill connection tracking: each packet is a connection of its own. */
const floods = [
  {
    name: 'datagrams from ever new ports',
    packet: udp(own.public4, 9000, {}, { chksum: 0 }),
    vary: 'source-port',
  },
  {
    name: 'datagrams to ever new ports',
    packet: udp(own.public4, 9000, {}, { chksum: 0 }),
    vary: 'destination-port',
  },
  {
    name: 'half of a connection, again and again',
    packet: syn(own.public4, 80),
    vary: 'source-port',
  },
] as const;

/** One consumer sends as much as it can; another asks for a page meanwhile. */
export async function tryGreedyConsumer(world: AttackWorld): Promise<Result> {
  const faults: string[] = [];
  const before = sum(await readRefusals(world));
  for (const flood of floods) {
    await send(world, flood);
    const tracked = Number(await world.onHost('cat', '/proc/sys/net/netfilter/nf_conntrack_count'));
    if (tracked > mostTracked)
      faults.push(
        `${datagrams} ${flood.name}: ${tracked} connections are tracked; promise: ${why}`,
      );
    if (!(await passesForNeighbour(world)))
      faults.push(
        `${datagrams} ${flood.name}: another consumer's connection does not pass; promise: ${why}`,
      );
  }
  // What is too much for a queue on the way never meets a rule; on a busy machine that is most.
  for (let times = 0; times < 10; times += 1) {
    if (sum(await readRefusals(world)) - before >= leastRefused) break;
    await send(world, floods[0]);
  }
  const refused = sum(await readRefusals(world)) - before;
  if (refused < leastRefused)
    faults.push(
      `${refused} packets of ${datagrams * floods.length} were refused and counted; promise: ${why}`,
    );
  return { outcomes: [], faults };
}

/** Floods, and waits until the queues on the way are empty: nothing more is refused. */
async function send(world: AttackWorld, { packet, vary }: (typeof floods)[number]): Promise<void> {
  await world.packets.flood({
    row: world.packets.number(1),
    from: 'tunnel',
    packet,
    count: datagrams,
    perSecond: 20_000,
    vary,
    settleMs: 100,
  });
  let before = -1;
  for (let times = 0; times < 100; times += 1) {
    const refused = sum(await readRefusals(world));
    if (refused === before) return;
    before = refused;
  }
}

/** Tries a few times, as a connection does: what waits in full queues is lost with the flood. */
async function passesForNeighbour(world: AttackWorld): Promise<boolean> {
  for (const sport of [42_000, 42_001, 42_002]) {
    const step = { from: 'tunnel', packets: [syn(own.public4, 80, { src: neighbour }, { sport })] };
    const command = { row: world.packets.number(1), steps: [step], marks: [], settleMs: 200 };
    const { heard } = await world.packets.send(command);
    if (heard.some(({ point }) => point === 'internet')) return true;
  }
  return false;
}

function sum(counters: Readonly<Record<string, number>>): number {
  return Object.values(counters).reduce((total, packets) => total + packets, 0);
}
