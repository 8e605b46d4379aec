import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { countProbes, judgeProbes } from './probes.ts';
import { renderHerd, renderProbes } from './render-herd.ts';
import { countAll, goalRatio, type HerdOptions, type HerdShare, judgeHerd } from './run-herd.ts';

/*
 * `npm run herd [-- --agents 100000] [--seed 1] [--json FILE]`: what a service sees of very many
 * agents, on virtual time, with the agent's own loops, on two threads. Ends with 1 where a phase
 * has a higher peak than the goal, or the household's probes connect more often.
 */

const threads = 2;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      agents: { type: 'string', default: '100000' },
      seed: { type: 'string', default: '1' },
      json: { type: 'string' },
    },
  });
  const [agents, seed] = [Number(values.agents), Number(values.seed)];
  if (!Number.isInteger(agents) || agents < 100 || agents > 5_000_000 || !Number.isInteger(seed)) {
    process.stderr.write('herd: --agents: a number from 100 to 5000000; --seed: a whole number\n');
    process.exitCode = 64;
    return;
  }
  const counted = await countOnThreads({ agents, seed });
  const result = judgeHerd({ agents, seed }, counted.requests);
  const probes = judgeProbes({ agents }, counted.probes);
  process.stdout.write(renderHerd(result));
  process.stdout.write(renderProbes(probes));
  if (values.json !== undefined)
    await writeFile(values.json, `${JSON.stringify({ ...result, probes })}\n`);
  const isTooMuch =
    result.rows.some(({ ratio }) => ratio > goalRatio) ||
    probes.some(({ mean, goal = Number.POSITIVE_INFINITY }) => mean >= goal);
  if (isTooMuch) process.exitCode = 1;
}

/** What one or several threads counted, by seconds. */
interface Counted {
  /** Of each scenario. */
  readonly requests: readonly Uint32Array[];
  /** Of the household's probes. */
  readonly probes: readonly Uint32Array[];
}

/** Devices do not see each other, so the threads' counts add up to what one would count. */
async function countOnThreads({ agents, seed }: HerdOptions): Promise<Counted> {
  const shares = Array.from({ length: threads }, (_, index) => ({
    seed,
    first: Math.floor((index * agents) / threads),
    end: Math.floor(((index + 1) * agents) / threads),
  }));
  const counted = await Promise.all(shares.map(countOnThread));
  const addUpEach = (of: (share: Counted) => readonly Uint32Array[]) =>
    (counted[0] === undefined ? [] : of(counted[0])).map((_, index) =>
      addUp(counted.flatMap((share) => of(share)[index] ?? [])),
    );
  return {
    requests: addUpEach(({ requests }) => requests),
    probes: addUpEach(({ probes }) => probes),
  };
}

async function countOnThread(share: HerdShare): Promise<Counted> {
  const worker = new Worker(new URL(import.meta.url), { workerData: share });
  const [counted] = await once(worker, 'message');
  return counted;
}

function addUp(counts: readonly Uint32Array[]): Uint32Array {
  const [first = new Uint32Array()] = counts;
  return first.map((_, second) => counts.reduce((sum, count) => sum + (count[second] ?? 0), 0));
}

if (isMainThread) await main();
else
  parentPort?.postMessage({
    requests: await countAll(workerData),
    probes: await countProbes(workerData),
  } satisfies Counted);
