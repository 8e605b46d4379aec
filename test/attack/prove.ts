import { findRefusals, type Refusal } from './refusals.ts';
import type { Row } from './row.ts';
import { announcingServer } from './rows/router-helpers.ts';
import { findThrough, runRowsAtOnce } from './run-rows.ts';
import type { AttackWorld } from './world.ts';

/** Rows that a state of the rules lets through. */
type Through = ReadonlySet<Row>;

/** Holds the agent still while it is shown what its rules are for: it would put them back. */
export async function whileHeldStill<T>(world: AttackWorld, act: () => Promise<T>): Promise<T> {
  world.agent().kill('SIGSTOP');
  const { putBack } = await findRefusals(world);
  try {
    const element = `element inet tributary permit { "${world.attackedDevice}"`;
    await world.inside(
      'nft',
      `add ${element} timeout 1d }; delete ${element} }; add ${element} timeout 1d }`,
    );
    return await act();
  } finally {
    await putBack();
    world.agent().kill('SIGCONT');
  }
}

/**
 * Rows that cannot fail: nothing of ours is in their way, and they are heard nowhere. And what is
 * said to be the kernel's and is not.
 */
export async function findIdle(
  world: AttackWorld,
  rows: readonly Row[],
): Promise<readonly string[]> {
  const { all, putBack } = await findRefusals(world);
  try {
    const tried = rows.filter(({ keptByEngine }) => keptByEngine === undefined);
    const through = await tryWithout(world, tried, all);
    return tried.flatMap((row) => {
      if (!through.has(row) && row.keptByKernel === undefined && !hasNoWay(world, row))
        return [`${row.name}: gets through nowhere, without any rule`];
      if (world.way === 'container' && through.has(row) && row.keptByKernel !== undefined)
        return [`${row.name}: gets through, so not the kernel keeps it`];
      return [];
    });
  } finally {
    await putBack();
  }
}

/**
 * The namespace on a host has neither IPv6 nor an address of the home: what is tried there goes
 * elsewhere.
 */
function hasNoWay(world: AttackWorld, row: Row): boolean {
  return world.way === 'host' && (row.family === 6 || row.isHeldTwice !== true);
}

/**
 * For each row, every rule that holds it alone, and the rule without which it gets through, if one
 * rule is enough to hold it.
 */
interface Proof {
  readonly row: Row;
  readonly heldBy: readonly string[];
  readonly getsThroughWithout: readonly string[];
}

/** What is taken out, and how what came of it is told. */
interface Proving {
  /** Rules whose names hold one of these, with commas between them. */
  readonly rules: string;
  /** Whether each of them is also tried alone, which takes longer. */
  readonly isEachAlone: boolean;
  say(line: string): void;
}

/** Takes each rule out, and leaves each rule alone: which rows that lets through. */
export async function proveRows(
  world: AttackWorld,
  rows: readonly Row[],
  { rules, isEachAlone, say }: Proving,
): Promise<readonly Proof[]> {
  const { all, putBack } = await findRefusals(world);
  let provable: readonly Row[] = rows.filter(
    ({ keptByKernel, keptByEngine }) => (keptByKernel ?? keptByEngine) === undefined,
  );
  // Handles are the kernel's, new each time: found by name.
  const pick = async (isTaken: (candidate: Refusal) => boolean) => {
    const { all: current } = await findRefusals(world);
    const through = await tryWithout(world, provable, current.filter(isTaken));
    await putBack();
    // What was let through is a connection by now, which the next rule would not be asked about.
    await world.inside('conntrack', '-F');
    await closeAnnounced(world);
    return through;
  };
  const open = await pick(() => false);
  if (open.size > 0) say(`  ${open.size} rows get through as it is, and are left out`);
  provable = subtract(provable, open);
  const found: { readonly name: string; readonly held: Through; readonly through: Through }[] = [];
  const isAsked = (name: string) => rules.split(',').some((words) => name.includes(words));
  // Rules of one name are taken out together.
  for (const name of new Set(all.map((refusal) => refusal.name).filter(isAsked))) {
    const held = isEachAlone
      ? new Set(subtract(provable, await pick((candidate) => candidate.name !== name)))
      : new Set<Row>();
    const through = await pick((candidate) => candidate.name === name);
    found.push({ name, held, through });
    const alone = isEachAlone ? `by itself holds ${held.size} rows; ` : '';
    say(`  ${name}: ${alone}without it ${through.size} get through`);
    for (const row of through) say(`    IPv${row.family} ${row.name}`);
  }
  return provable.map((row) => ({
    row,
    heldBy: found.filter(({ held }) => held.has(row)).map(({ name }) => name),
    getsThroughWithout: found.filter(({ through }) => through.has(row)).map(({ name }) => name),
  }));
}

/** What the home's router was told to let in, it would let in for the next rule too. */
async function closeAnnounced({ lab }: AttackWorld): Promise<void> {
  for (const side of ['--orig-src', '--orig-dst'])
    await lab.network
      .run('home', 'conntrack', '-D', '-p', 'tcp', side, announcingServer)
      // It has nothing of the kind.
      .catch(() => undefined);
}

function subtract(rows: readonly Row[], through: Through): readonly Row[] {
  return rows.filter((row) => !through.has(row));
}

/** How often rows are tried that were heard nowhere, while others of them were. */
const mostRounds = 4;

async function tryWithout(
  world: AttackWorld,
  rows: readonly Row[],
  taken: readonly Refusal[],
): Promise<Through> {
  for (const refusal of taken) await refusal.takeOut();
  const through = new Set<Row>();
  for (let round = 0; round < mostRounds; round++) {
    const left = subtract(rows, through);
    const outcomes = await runRowsAtOnce(world, left);
    const found = outcomes.filter((outcome) => findThrough(outcome).length > 0);
    for (const { row } of found) through.add(row);
    // So many rows at once are a burst, of which a busy machine loses some.
    if (found.length === 0) break;
  }
  return through;
}
