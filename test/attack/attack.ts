import { parseArgs } from 'node:util';
import { isInsideLab } from '../../tools/lab/network.ts';
import { listClosedRows, listHeldTwice, listRows } from './all-rows.ts';
import { describeOutcome } from './describe-outcome.ts';
import { proveRows, whileHeldStill } from './prove.ts';
import { whileRenamed } from './renamed.ts';
import { findThrough } from './run-rows.ts';
import { listFailures, listScenarios, scenarios } from './scenarios.ts';
import {
  type AttackSource,
  type AttackWorld,
  attackSources,
  createAttackWorld,
  type Way,
  ways,
} from './world.ts';

/*
 * `npm run attack [-- --way container|host] [--from SOURCE] [--only WORDS] [--prove]`: crafted
 * packets against a running agent, a line for each row; ends with 1 where one got through. `--from`
 * says whose consumers attack, by default the tunnel's; a program has the container's way alone.
 * `--only` takes the scenarios whose names hold the words; those before them still happen.
 * `--prove` takes out one rule after the other and shows which rows get through without it, and
 * leaves each alone, unless `--out`; `--only` then takes the rows whose names hold the words, and
 * `--rules` the rules (several with commas between them). With `--closed` the permit has run out
 * meanwhile, and what passes while it provides is tried too; with `--second` the agent's own table
 * and routes refuse nothing and translate alone, which shows what the fence around it holds; with
 * `--renamed` the source's device has another name.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      way: { type: 'string' },
      from: { type: 'string', default: 'wireguard' },
      only: { type: 'string' },
      prove: { type: 'boolean', default: false },
      out: { type: 'boolean', default: false },
      closed: { type: 'boolean', default: false },
      second: { type: 'boolean', default: false },
      renamed: { type: 'boolean', default: false },
      rules: { type: 'string', default: '' },
    },
  });
  if (!isInsideLab())
    throw new Error('attack: only within tools/lab/enter.sh, as `npm run attack` does it');
  const chosen = ways.filter((way) => values.way === undefined || values.way === way);
  if (chosen.length === 0)
    throw new Error(`attack: --way ${values.way}: not one of ${ways.join(', ')}`);
  const from = attackSources.find((source) => source === values.from);
  if (from === undefined)
    throw new Error(`attack: --from ${values.from}: not one of ${attackSources.join(', ')}`);
  for (const way of from === 'program' ? (['container'] as const) : chosen) {
    await using world = await open(way, from);
    const { rules, out, closed, second, renamed, only = '' } = values;
    const state = { isClosed: closed, isSecond: second, isRenamed: renamed };
    if (values.prove) await prove(world, { ...state, only, rules, isEachAlone: !out });
    else await attack(world, only);
  }
}

async function open(way: Way, from: AttackSource): Promise<AttackWorld & AsyncDisposable> {
  const world = await createAttackWorld(way, { countsEachRow: true, from });
  return { ...world, [Symbol.asyncDispose]: () => world.remove() };
}

async function attack(world: AttackWorld, only: string): Promise<void> {
  let [rows, packets, through] = [0, 0, 0];
  for (const { name, run } of listScenarios(scenarios, world.way)) {
    const startedAt = performance.now();
    const result = await run(world);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    if (!name.includes(only)) continue;
    say(`\n${world.way}: ${name} (${result.outcomes.length} rows, ${seconds} s)`);
    for (const outcome of result.outcomes) say(`  ${describeOutcome(outcome)}`);
    for (const fault of result.faults) say(`  FAULT   ${fault}`);
    rows += result.outcomes.filter(({ sent }) => sent > 0).length;
    packets += result.outcomes.reduce((sum, { sent }) => sum + sent, 0);
    through += result.outcomes.filter((outcome) => findThrough(outcome).length > 0).length;
    if (listFailures(result).length > 0) process.exitCode = 1;
  }
  say(`\n${world.way}: ${rows} rows, ${packets} packets, ${through} rows got through`);
}

async function prove(
  world: AttackWorld,
  {
    only,
    isClosed,
    isSecond,
    isRenamed,
    ...which
  }: {
    readonly only: string;
    readonly isClosed: boolean;
    readonly isSecond: boolean;
    readonly isRenamed: boolean;
    readonly rules: string;
    readonly isEachAlone: boolean;
  },
): Promise<void> {
  world.startAgent();
  await world.lab.waitForStatus(({ phase }) => phase === 'idle');
  await world.lab.runCommand('provide', 'public');
  await world.lab.waitForStatus(({ phase }) => phase === 'providing');
  say(`\n${world.way}: each rule taken out${which.isEachAlone ? ', and each by itself' : ''}`);
  const tried = isClosed || isRenamed ? listClosedRows(world) : listRows(world);
  const named = tried.filter(({ name }) => name.includes(only));
  const rows = isSecond ? listHeldTwice(world, named) : named;
  const proofs = await whileHeldStill(world, async () => {
    if (isClosed) await world.inside('nft', 'flush set inet tributary permit');
    if (isSecond) await translateAlone(world);
    const act = () => proveRows(world, rows, { ...which, say });
    return isRenamed ? whileRenamed(world, act) : act();
  });
  for (const { row, heldBy, getsThroughWithout } of proofs) {
    say(
      `\n  IPv${row.family} ${row.name}\n    held by each of: ${heldBy.join('; ') || 'no rule by itself'}`,
    );
    say(`    gets through without: ${getsThroughWithout.join('; ') || 'no single rule'}`);
  }
}

/** Without a translation, all would end at the first rule of the fence around the namespace. */
async function translateAlone({ inside }: AttackWorld): Promise<void> {
  const translating = await inside('nft', 'list', 'chain', 'inet', 'tributary', 'translate');
  await inside('nft', `flush ruleset; ${translating}`);
  const flush = 'while ip $family rule delete priority 5181; do :; done 2>&1';
  await inside('sh', '-c', `for family in -4 -6; do ${flush}; done`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main();
