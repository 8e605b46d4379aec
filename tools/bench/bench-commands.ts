import { LabError } from '../lab/lab-error.ts';
import { startProcess } from '../lab/processes.ts';
import {
  type Bench,
  type PartOptions,
  startAgent,
  stopAgent,
  waitForProviding,
  withBench,
} from './bench-lab.ts';
import type { Figure } from './figures.ts';
import { readEndedSeconds } from './process-tree.ts';

/**
 * The CPU that a command takes, compared with a Node that does nothing. The runs alternate and are
 * many, because the kernel counts in hundredths of a second.
 */
export function measureCommands(options: PartOptions): Promise<readonly Figure[]> {
  return withBench(options, async (bench) => {
    const agent = startAgent(bench);
    await waitForProviding(agent);
    const runs = options.rounds * 4;
    options.say(`commands: ${runs} runs of each`);
    const milliseconds = await measureInTurn(
      { ...toCommands(bench), bare: [process.execPath, '-e', '0'] },
      runs,
    );
    await stopAgent(agent);
    const bare = { name: 'bare Node', value: milliseconds.bare ?? Number.NaN };
    return names.map((name) => ({
      name: `CPU of \`tributary ${name}\``,
      value: milliseconds[name] ?? Number.NaN,
      unit: 'milliseconds',
      beside: bare,
      ...toGoal(mostMs[name]),
    }));
  });
}

/** Milliseconds of the processor that are wanted; undefined where nothing is. */
const mostMs = { status: 40, health: undefined, '--version': 30 } as const;
const names = ['status', 'health', '--version'] as const;

const toGoal = (most: number | undefined): Pick<Figure, 'goal'> =>
  most === undefined ? {} : { goal: { of: 'value', most } };

type Argv = readonly [string, ...string[]];

/**
 * The control socket is a file, so no command needs the device's namespace. The version is asked as
 * people ask it, without the options by which an agent is found.
 */
function toCommands({ lab }: Bench): Readonly<Record<string, Argv>> {
  const toArgv = (name: string) => {
    const argv = lab.command(name).slice(4);
    return (name === '--version' ? argv.slice(0, argv.indexOf(name) + 1) : argv) as unknown as Argv;
  };
  return Object.fromEntries(names.map((name) => [name, toArgv(name)]));
}

/** The mean CPU of each command, in ms. @throws LabError for a command that fails */
async function measureInTurn(
  commands: Readonly<Record<string, Argv>>,
  runs: number,
): Promise<Readonly<Record<string, number>>> {
  const sums = new Map<string, number>();
  // The first round warms up.
  for (let round = 0; round <= runs; round += 1) {
    for (const [name, argv] of Object.entries(commands)) {
      const before = readEndedSeconds();
      const running = startProcess({ argv });
      const exitCode = await running.exited;
      if (exitCode !== 0) throw new LabError(`${name}: ${exitCode}: ${running.lines.join(' | ')}`);
      if (round > 0) sums.set(name, (sums.get(name) ?? 0) + readEndedSeconds() - before);
    }
  }
  return Object.fromEntries([...sums].map(([name, seconds]) => [name, (seconds * 1000) / runs]));
}
