import type { StatusDocument } from '../../src/status/document.ts';
import { changeConfig, stopAgent } from '../net/support/test-lab.ts';
import { listClosedRows, listHeldTwice, listRows } from './all-rows.ts';
import { describeOutcome } from './describe-outcome.ts';
import { tryGreedyConsumer } from './greedy.ts';
import { tryOpenFlows } from './open-flows.ts';
import { tryOutliving } from './outliving.ts';
import type { Packet } from './packet-data.ts';
import { findIdle, whileHeldStill } from './prove.ts';
import { tryDisturbances } from './recovery.ts';
import { whileRenamed } from './renamed.ts';
import type { Row } from './row.ts';
import { controls } from './rows/controls.ts';
import { tooBigRows } from './rows/from-home.ts';
import { lateAnswerRows } from './rows/late-answers.ts';
import { blockedPorts } from './rows/port-ranges.ts';
import { routedRows } from './rows/routed.ts';
import { strictRows } from './rows/strict.ts';
import { untranslatedRows } from './rows/untranslated.ts';
import { findThrough, type Outcome, runRows, runRowsAtOnce } from './run-rows.ts';
import { waitUntilServed } from './served.ts';
import { trySharingNoMore } from './shared-no-more.ts';
import { streamWhile } from './stream-rows.ts';
import type { AttackWorld, Way } from './world.ts';

/** A phase or an event, and what is tried in it. They follow each other in one world. */
export interface Scenario {
  readonly name: string;
  /** The way of running in which there is something to try; without it, in both. */
  readonly way?: Way;
  run(world: AttackWorld): Promise<Result>;
}

export interface Result {
  readonly outcomes: readonly Outcome[];
  /** What went wrong beside packets that got through. */
  readonly faults: readonly string[];
}

/** What got through, and what went wrong beside it, in words; empty where all is as promised. */
export function listFailures({ outcomes, faults }: Result): readonly string[] {
  return [
    ...outcomes.filter((outcome) => findThrough(outcome).length > 0).map(describeOutcome),
    ...faults,
  ];
}

/** What is tried in one way of running. */
export function listScenarios(of: readonly Scenario[], way: Way): readonly Scenario[] {
  return of.filter((scenario) => scenario.way === undefined || scenario.way === way);
}

/** In the order in which they are tried. */
export const scenarios: readonly Scenario[] = [
  {
    name: 'while it starts in mode none',
    async run(world) {
      const rows = listClosedRows(world);
      // Nobody keeps strangers from the device before the agent does: until then consumers try.
      const byConsumers = rows.filter(({ steps }) => steps[0]?.from === 'tunnel');
      const early = await streamed(world, byConsumers, async () => {
        world.startAgent();
        await until(() => hasTable(world));
      });
      const late = await streamed(world, rows, () =>
        waitFor(world, ({ phase }) => phase === 'idle'),
      );
      return tried([...early.outcomes, ...late.outcomes]);
    },
  },
  {
    name: 'in mode none',
    run: async (world) => tried(await runRowsAtOnce(world, listClosedRows(world))),
  },
  {
    name: 'while it opens',
    run: (world) =>
      streamed(world, listRows(world), async () => {
        await world.lab.runCommand('provide', 'public');
        await waitFor(world, provides);
      }),
  },
  {
    name: 'while it provides',
    run: async (world) => {
      const faults = await tryControls(world);
      return { outcomes: await runRows(world, listRows(world)), faults };
    },
  },
  { name: 'while flows are open that are refused from now on', run: tryOpenFlows },
  {
    name: 'while flows are open and nothing is shared any more',
    run: (world) =>
      trySharingNoMore(world, async () => {
        await world.lab.runCommand('provide', 'public');
        await waitFor(world, provides);
      }),
  },
  {
    name: 'with the strict rules, as without them all else',
    run: tryStrictRules,
  },
  {
    // And so to the end: what follows is tried with a tree that packets pass through.
    name: 'with a limit on the line',
    run: async (world) => {
      await limitLine(world);
      const faults = await tryControls(world);
      return { outcomes: await runRowsAtOnce(world, listRows(world)), faults };
    },
  },
  {
    name: 'while it reloads again and again',
    run: (world) => streamed(world, listRows(world), () => reload(world)),
  },
  { name: 'with its own table flushed', run: (world) => heldStill(world, () => flushOwn(world)) },
  {
    name: "with the host's ruleset flushed by a stranger",
    way: 'host',
    run: (world) => heldStill(world, () => flushHost(world)),
  },
  {
    name: 'with its rules for routing flushed',
    run: (world) => heldStill(world, () => flushRouting(world)),
  },
  {
    name: 'with its translation flushed',
    run: (world) =>
      heldStill(world, async () => {
        await world.inside('nft', 'flush chain inet tributary translate');
        return runRowsAtOnce(world, untranslatedRows);
      }),
  },
  {
    name: 'with its device under another name',
    run: (world) =>
      heldStill(world, () =>
        whileRenamed(world, () => runRowsAtOnce(world, listClosedRows(world))),
      ),
  },
  { name: 'while one consumer sends all it can', run: tryGreedyConsumer },
  { name: 'after connections were forgotten', run: tryLateAnswers },
  { name: 'where the host remembers connections too', way: 'host', run: tryOutliving },
  {
    name: 'while a stranger changes its rules',
    run: (world) => tryDisturbances(world, listRows(world)),
  },
  {
    name: 'stopped by SIGSTOP until its permit has run out',
    run: async (world) => {
      world.agent().kill('SIGSTOP');
      await waitUntilClosed(world);
      const outcomes = await runRowsAtOnce(world, listClosedRows(world));
      world.agent().kill('SIGCONT');
      await waitFor(world, provides);
      return tried(outcomes);
    },
  },
  {
    name: 'while it dies by SIGKILL and its permit runs out',
    run: (world) =>
      streamed(world, listRows(world), async () => {
        world.agent().kill('SIGKILL');
        await world.agent().exited;
        await waitUntilClosed(world);
      }),
  },
  {
    name: 'dead by SIGKILL, its permit run out',
    run: async (world) => tried(await runRowsAtOnce(world, listClosedRows(world))),
  },
  {
    name: 'while it comes back',
    run: (world) =>
      streamed(world, listRows(world), async () => {
        world.startAgent();
        await waitFor(world, ({ phase }) => phase === 'idle' || phase === 'providing');
      }),
  },
  {
    name: 'while it stops',
    run: (world) =>
      streamed(world, listRows(world), async () => void (await stopAgent(world.agent()))),
  },
  {
    name: 'by its rules: without them, each row gets through',
    // Last, because of the connections that it leaves behind.
    run: async (world) => {
      world.startAgent();
      await world.lab.waitForStatus(
        ({ phase }) => phase === 'idle' || phase === 'providing',
        45_000,
      );
      await world.lab.runCommand('provide', 'public');
      await waitFor(world, provides);
      return {
        outcomes: [],
        faults: await whileHeldStill(world, () => findIdle(world, listRows(world))),
      };
    },
  },
];

function tried(outcomes: readonly Outcome[]): Result {
  return { outcomes, faults: [] };
}

async function streamed(
  world: AttackWorld,
  rows: readonly Row[],
  act: () => Promise<void>,
): Promise<Result> {
  return tried(await streamWhile(world, rows, act));
}

/** The gateway is open for every source: the attacking one among them. */
const provides = ({ phase, gateway, sources }: StatusDocument) =>
  phase === 'providing' && gateway.open && sources.every(({ aliveSince }) => aliveSince !== null);

/** Where it provides, consumers by the network's own protocol then have to come to it, too. */
async function waitFor(
  world: AttackWorld,
  fits: (status: StatusDocument) => boolean,
): Promise<void> {
  await world.lab.waitForStatus(fits);
  if (fits === provides && world.from === 'connect') await waitUntilServed(world);
}

/** What has to pass, so that nothing seen elsewhere says something. */
async function tryControls(world: AttackWorld): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const { name, packet } of controls) {
    if (world.way === 'host' && packet[0]?.[0] === 'IPv6') continue;
    if (!(await passes(world, packet))) faults.push(`${name} to a public address does not pass`);
  }
  let untold = tooBigRows.filter(({ family }) => world.way === 'container' || family === 4);
  for (let times = 0; times < mostTries && untold.length > 0; times += 1)
    untold = (await runRowsAtOnce(world, untold))
      .filter((outcome) => findThrough(outcome).length === 0)
      .map(({ row }) => row);
  return [...faults, ...untold.map(({ name }) => `${name}: the consumer is not told`)];
}

/** A new contract, or a busy machine, may make the first way longer than one try. */
const mostTries = 10;

async function passes(world: AttackWorld, packet: Packet): Promise<boolean> {
  const row = world.packets.number(1);
  const command = { row, steps: [{ from: 'tunnel', packets: [packet] }], marks: [], settleMs: 200 };
  for (let times = 0; times < mostTries; times += 1) {
    const { heard } = await world.packets.send(command);
    if (heard.some(({ point }) => point === 'internet')) return true;
  }
  return false;
}

/** What they refuse passes before and after; beside them all holds that holds without them. */
async function tryStrictRules(world: AttackWorld): Promise<Result> {
  const rows = strictRows.filter(({ family }) => world.way === 'container' || family === 4);
  const findKept = async (tried: readonly Row[]) =>
    (await runRows(world, tried))
      .filter((outcome) => findThrough(outcome).length === 0)
      .map(({ row }) => row);
  const findIdle = async (when: string) => {
    let kept = await findKept(rows);
    // The change before this one may have closed the gateway for a moment.
    for (let times = 1; times < mostTries && kept.length > 0; times += 1)
      kept = await findKept(kept);
    return kept.map(({ name }) => `${name}: does not pass ${when} the strict rules`);
  };
  const before = await findIdle('before');
  await setStrictRules(world, 'always');
  const controlFaults = await tryControls(world);
  const outcomes = await runRows(world, [...rows, ...listRows(world)]);
  await setStrictRules(world, 'never');
  const after = await findIdle('after');
  return { outcomes, faults: [...before, ...controlFaults, ...after] };
}

async function setStrictRules(world: AttackWorld, strict: 'always' | 'never'): Promise<void> {
  await changeConfig(world.lab, { gateway: { strict_rules: strict } });
  world.agent().kill('SIGHUP');
  const isStrict = async () =>
    (await world.inside('nft', 'list', 'chains')).includes('chain strict_answers');
  await until(async () => (await isStrict()) === (strict === 'always'));
  await waitFor(world, ({ phase, gateway }) => phase === 'providing' && gateway.open);
}

/** Above what the rows send, and below what a greedy consumer does. */
async function limitLine(world: AttackWorld): Promise<void> {
  await changeConfig(world.lab, { provide: { rate_limit: { line: '50 Mbit' } } });
  world.agent().kill('SIGHUP');
  const tree = () => world.inside('tc', 'class', 'show', 'dev', 'tributary-line').catch(() => '');
  await until(async () => (await tree()).includes('rate 50Mbit'));
}

/** Each time with another ruleset, so that each time the whole table is replaced. */
async function reload(world: AttackWorld): Promise<void> {
  for (const port of [7001, 7002, 7003, 7004, 7005]) {
    await changeConfig(world.lab, { gateway: { blocked_ports: [...blockedPorts, port] } });
    world.agent().kill('SIGHUP');
    await until(async () => (await world.inside('nft', 'list', 'ruleset')).includes(String(port)));
  }
}

async function flushOwn(world: AttackWorld): Promise<readonly Outcome[]> {
  await world.inside('nft', 'flush', 'ruleset');
  return runRowsAtOnce(world, listHeldTwice(world, listRows(world)));
}

/** Nothing of the host's is left but its routes, which hold whatever comes in by its card. */
async function flushHost(world: AttackWorld): Promise<readonly Outcome[]> {
  await world.onHost('nft', 'flush', 'ruleset');
  return runRowsAtOnce(world, routedRows);
}

async function flushRouting(world: AttackWorld): Promise<readonly Outcome[]> {
  await world.inside(
    'sh',
    '-c',
    'ip -4 rule delete priority 5181; ip -6 rule delete priority 5181',
  );
  return runRowsAtOnce(world, listRows(world));
}

/** Connection tracking forgets within a second what it would forget within half a minute. */
async function tryLateAnswers(world: AttackWorld): Promise<Result> {
  const forget = (seconds: number) =>
    Promise.all(
      [world.inside, world.onHost].map((run) =>
        run('sysctl', '-qw', `net.netfilter.nf_conntrack_udp_timeout=${seconds}`),
      ),
    );
  await forget(1);
  try {
    return tried(await runRows(world, lateAnswerRows));
  } finally {
    await forget(30);
  }
}

async function heldStill(
  world: AttackWorld,
  act: () => Promise<readonly Outcome[]>,
): Promise<Result> {
  const outcomes = await whileHeldStill(world, act);
  await waitFor(world, provides);
  return tried(outcomes);
}

async function hasTable(world: AttackWorld): Promise<boolean> {
  const listing = world.inside('nft', 'list', 'chains', 'inet').catch(() => '');
  return (await listing).includes('table inet tributary');
}

async function waitUntilClosed(world: AttackWorld): Promise<void> {
  await until(
    async () =>
      !(await world.inside('nft', 'list', 'set', 'inet', 'tributary', 'permit')).includes(
        'expires',
      ),
  );
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + 120_000;
  while (!(await holds())) {
    if (performance.now() > deadlineMs) throw new Error('waited two minutes in vain');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
