import { dirname } from 'node:path';
import { servedProfiles } from '../../src/reference-service/profile.ts';
import { type OperationName, operations } from '../../src/service/operations.ts';
import { createWorldCaller, type WorldCaller } from './bench-calls.ts';
import { type ListMemory, measureListMemory } from './list-memory.ts';
import { computeMedian, computeRatio } from './medians.ts';
import { type SandboxWorld, startSandboxWorld } from './sandbox-world.ts';
import { measureLoad, type OperationLoad } from './service-load.ts';

/** How to measure the reference service. */
export interface ServiceBenchOptions {
  /** The built program. */
  readonly program: string;
  /** Calls of each operation on each world. */
  readonly rounds: number;
  readonly isJson: boolean;
}

/**
 * The numbers of clients of the worlds. The network that calls has as many as the smallest world,
 * in every one of them.
 */
const worldSizes = [100, 1000, 10_000] as const;
const clientsPerNetwork = 100;
const daysOfPast = 90;
/** The list of a whole network's clients, read by the command. */
const listedClients = 10_000;

/** The medians of one operation in ms, one for each world, and their ratios to the first. */
interface OperationCost {
  readonly operation: OperationName;
  readonly medianMs: readonly number[];
  readonly ratios: readonly number[];
}

/**
 * `npm run bench -- service`: what each operation costs in worlds of different sizes, called
 * alternately, and how much memory it takes to list a large network. Only the ratios say something
 * about other machines.
 * @throws LabError
 */
export async function benchService(options: ServiceBenchOptions): Promise<void> {
  const measured = await measureWorlds(options);
  const memory = await measureListMemory(options.program, listedClients);
  const result = { rounds: options.rounds, worlds: worldSizes, ...measured, memory };
  process.stdout.write(options.isJson ? `${JSON.stringify(result)}\n` : renderText(result));
}

async function measureWorlds({ program, rounds }: ServiceBenchOptions) {
  const worlds: SandboxWorld[] = [];
  try {
    for (const clients of worldSizes) {
      const networks = clients / clientsPerNetwork;
      worlds.push(await startSandboxWorld({ program, clients, networks, days: daysOfPast }));
    }
    const callers = await Promise.all(worlds.map(createWorldCaller));
    const [largest] = callers.slice(-1);
    // This comes first, because the alternating calls leave codes and shares behind.
    const load = largest ? await measureLoad(largest, dirname(program)) : [];
    return { operations: await measureInTurn(callers, rounds), load };
  } finally {
    for (const world of worlds) await world[Symbol.asyncDispose]();
  }
}

async function measureInTurn(
  callers: readonly WorldCaller[],
  rounds: number,
): Promise<readonly OperationCost[]> {
  const all = Object.keys(operations) as OperationName[];
  const names = all.filter((name) => !servedProfiles.documented.notServed.includes(name));
  const samples = new Map(names.map((name) => [name, callers.map((): number[] => [])]));
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of inOrder(names)) {
      for (const [world, caller] of callers.entries()) {
        const durationMs = await caller.measure(name);
        if (round > 0) samples.get(name)?.[world]?.push(durationMs);
      }
    }
  }
  return [...samples].map(([operation, ofWorlds]) => computeCost(operation, ofWorlds));
}

/** Sorts operations so that a code is made before it is used. */
function inOrder(names: readonly OperationName[]): readonly OperationName[] {
  const makers: readonly OperationName[] = ['codeCreate', 'createShareCode'];
  return [...makers, ...names.filter((name) => !makers.includes(name))];
}

function computeCost(
  operation: OperationName,
  samples: readonly (readonly number[])[],
): OperationCost {
  const medianMs = samples.map(computeMedian);
  const [first = Number.NaN] = medianMs;
  return { operation, medianMs, ratios: medianMs.map((value) => computeRatio(value, first)) };
}

interface Measured {
  readonly rounds: number;
  readonly operations: readonly OperationCost[];
  readonly load: readonly OperationLoad[];
  readonly memory: ListMemory;
}

function renderText({ rounds, operations: costs, load, memory }: Measured): string {
  const row = (name: string, cells: readonly string[]) =>
    `${name.padEnd(22)}${cells.map((cell) => cell.padStart(12)).join('')}\n`;
  const ratio = (value: number) => `× ${value.toFixed(2)}`;
  return [
    `Medians of ${rounds} calls, in turn, by clients of the world; ratios are over the smallest.\n`,
    row(
      '',
      worldSizes.map((clients) => `${clients}`),
    ),
    ...costs.map(({ operation, medianMs: [first = Number.NaN], ratios }) =>
      row(operation, [`${first.toFixed(2)} ms`, ...ratios.slice(1).map(ratio)]),
    ),
    '\nTen connections on the largest world, and on a bare server that answers a constant, in turn: processor time of an answer.\n',
    row('', ['microseconds', 'times bare', 'goal']),
    ...load.map(({ operation, microseconds, timesBare, goal }) =>
      row(operation, [`${microseconds}`, ratio(timesBare), `× ${goal}`]),
    ),
    '\nMost memory, resident: the list of a network of so many clients, its heap held to 40 MiB, beside a bare Node.\n',
    row('', [`${memory.clients}`, 'bare Node', 'ratio']),
    row('service clients', [
      `${memory.commandKilobytes} KiB`,
      `${memory.bareKilobytes} KiB`,
      ratio(memory.ratio),
    ]),
  ].join('');
}
