import { attackAddresses as own, udp } from './packet-data.ts';
import { type Row, refused } from './row.ts';
import { type Outcome, runRowsAtOnce } from './run-rows.ts';
import type { Result } from './scenarios.ts';
import { streamWhile } from './stream-rows.ts';
import type { AttackWorld } from './world.ts';

/** What a stranger does to the rules, and how it is seen that they are back. */
interface Disturbance {
  readonly name: string;
  act(world: AttackWorld): Promise<unknown>;
}

const why = 'rules and routes of ours that vanish are back within a second';
/**
 * A second, and more for a machine that is busy with all the other tests. An agent that was not
 * told of the change would find it at its next pass, which is several times as late.
 */
const mostMs = 5000;
/** A new prefix is tried so long after it came. */
const prefixMs = 2000;

const disturbances: readonly Disturbance[] = [
  { name: 'the ruleset is flushed', act: (world) => world.inside('nft', 'flush', 'ruleset') },
  {
    name: 'the table is deleted',
    act: (world) => world.inside('nft', 'delete', 'table', 'inet', 'tributary'),
  },
  { name: 'a rule is deleted', act: (world) => changeRule(world, 'delete') },
  { name: 'a rule is swapped under its comment', act: (world) => changeRule(world, 'swap') },
  { name: 'a rule that accepts is put first', act: (world) => changeRule(world, 'insert') },
  {
    name: 'an element is taken out of a set',
    async act(world) {
      const element = /elements = \{ ([\d./]+)/.exec(
        await world.inside('nft', 'list', 'set', 'inet', 'tributary', 'own4'),
      );
      await world.inside('nft', `delete element inet tributary own4 { ${element?.[1]} }`);
    },
  },
  {
    name: 'the policy of forwarding is changed',
    act: (world) => world.inside('nft', 'chain inet tributary forward { policy accept; }'),
  },
  {
    name: "the tunnel's routes are flushed",
    act: (world) =>
      world.inside('sh', '-c', 'ip route flush table 51821; ip -6 route flush table 51821'),
  },
];

/**
 * Each in turn while the agent runs: when all is as before, and what of both layers' rows was heard
 * meanwhile.
 */
export async function tryDisturbances(world: AttackWorld, rows: readonly Row[]): Promise<Result> {
  const faults: string[] = [];
  const twice = rows.filter(({ isHeldTwice }) => isHeldTwice === true);
  const outcomes = await streamWhile(world, twice, async () => {
    for (const { name, act } of disturbances) {
      const before = await readState(world);
      await act(world);
      const tookMs = await waitUntil(async () => (await readState(world)) === before);
      if (tookMs > mostMs) {
        const difference = describeDifference(before, await readState(world));
        faults.push(
          `${name}: not as before after ${Math.round(tookMs)} ms (${difference}); promise: ${why}`,
        );
      }
    }
  });
  const flushed = await tryRoutingFlush(world);
  const prefix = await tryNewPrefix(world);
  return { outcomes: [...outcomes, ...prefix], faults: [...faults, ...flushed] };
}

/** Without any rule nothing has a route: forwarding has to come back. */
async function tryRoutingFlush(world: AttackWorld): Promise<readonly string[]> {
  await world.inside('sh', '-c', 'ip rule flush');
  const tookMs = await waitUntil(async () => {
    const step = { from: 'tunnel', packets: [udp(own.public4)] };
    const command = { row: world.packets.number(1), steps: [step], marks: [], settleMs: 20 };
    return (await world.packets.send(command)).heard.some(({ point }) => point === 'internet');
  });
  return tookMs > mostMs
    ? [`ip rule flush: nothing is forwarded after ${Math.round(tookMs)} ms; promise: ${why}`]
    : [];
}

/** A public network that comes while the agent runs is an own network at once. */
async function tryNewPrefix(world: AttackWorld): Promise<readonly Outcome[]> {
  if (world.way === 'host') return [];
  await world.inside('ip', 'address', 'add', '45.88.1.1/24', 'dev', 'lan0');
  await new Promise((resolve) => setTimeout(resolve, prefixMs));
  const row = refused('a network of ours since two seconds', [udp('45.88.1.9')], {
    why: "the device's own networks are read live",
  });
  const outcomes = await runRowsAtOnce(world, [row]);
  await world.inside('ip', 'address', 'delete', '45.88.1.1/24', 'dev', 'lan0');
  return outcomes;
}

/** Rules and routes as text, without what counts and what runs out. */
async function readState(world: AttackWorld): Promise<string> {
  const [ruleset, ...rest] = await Promise.all([
    world.inside('nft', '--stateless', '--terse', 'list', 'ruleset'),
    // Not every set: consumers' connections fill some of them.
    world.inside('nft', 'list', 'set', 'inet', 'tributary', 'own4'),
    world.inside('ip', 'rule'),
    world.inside('ip', '-6', 'rule'),
    world.inside('sh', '-c', 'ip route show table 51821; ip -6 route show table 51821'),
  ]);
  // Chains and sets may be made again in any order, so blocks are sorted; the order of the rules
  // within a chain counts.
  const blocks = ruleset.replaceAll(/^(table .*|\})\n/gm, '').split('\t}\n');
  return [...blocks.map((block) => block.trim()).sort(), ...rest].join('\n');
}

/** The first line that is no longer there, and the first that was not. */
function describeDifference(before: string, after: string): string {
  const [former, current] = [before.split('\n'), after.split('\n')];
  const gone = former.find((line) => !current.includes(line))?.trim() ?? 'nothing';
  const added = current.find((line) => !former.includes(line))?.trim() ?? 'nothing';
  return `gone: ${gone}; new: ${added}`;
}

/** The agent may load the table once more meanwhile, which gives each rule another handle. */
async function changeRule(world: AttackWorld, how: 'delete' | 'swap' | 'insert'): Promise<void> {
  const tookMs = await waitUntil(async () => {
    await world.inside('nft', await planChange(world, how));
    return true;
  });
  if (tookMs > mostMs) throw new Error(`the rule own-v4 could not be changed: ${how}`);
}

async function planChange(world: AttackWorld, how: 'delete' | 'swap' | 'insert'): Promise<string> {
  const text = await world.inside('nft', '-a', 'list', 'chain', 'inet', 'tributary', 'destination');
  const [, handle] = /^.*comment "own-v4" # handle (\d+)$/m.exec(text) ?? [];
  if (handle === undefined) throw new Error(`no rule own-v4 in ${text}`);
  const at = 'inet tributary destination';
  switch (how) {
    case 'insert':
      return `insert rule ${at} ip daddr ${own.nas4} return`;
    case 'delete':
      return `delete rule ${at} handle ${handle}`;
    case 'swap':
      return `replace rule ${at} handle ${handle} ip daddr @own4 return comment "own-v4"`;
    default:
      return how satisfies never;
  }
}

/** How long it took (ms); no longer than a minute is waited. */
async function waitUntil(holds: () => Promise<boolean>): Promise<number> {
  const startedAtMs = performance.now();
  while (performance.now() - startedAtMs < 60_000) {
    if (await holds().catch(() => false)) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return performance.now() - startedAtMs;
}
