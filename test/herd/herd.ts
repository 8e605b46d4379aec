import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { renderHerd } from './render-herd.ts';
import { countAll, goalRatio, type HerdOptions, type HerdShare, judgeHerd } from './run-herd.ts';

/*
 * `npm run herd [-- --agents 100000] [--seed 1] [--json FILE]`: what a service sees of very many
 * agents, on virtual time, with the agent's own loops, on two threads. Ends with 1 where a phase
 * has a higher peak than the goal.
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
  const result = judgeHerd({ agents, seed }, await countOnThreads({ agents, seed }));
  process.stdout.write(renderHerd(result));
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(result)}\n`);
  if (result.rows.some(({ ratio }) => ratio > goalRatio)) process.exitCode = 1;
}

/** Devices do not see each other, so the threads' counts add up to what one would count. */
async function countOnThreads({ agents, seed }: HerdOptions): Promise<readonly Uint32Array[]> {
  const shares = Array.from({ length: threads }, (_, index) => ({
    seed,
    first: Math.floor((index * agents) / threads),
    end: Math.floor(((index + 1) * agents) / threads),
  }));
  const counted = await Promise.all(shares.map(countOnThread));
  return (counted[0] ?? []).map((_, scenario) =>
    addUp(counted.flatMap((share) => share[scenario] ?? [])),
  );
}

async function countOnThread(share: HerdShare): Promise<readonly Uint32Array[]> {
  const worker = new Worker(new URL(import.meta.url), { workerData: share });
  const [counted] = await once(worker, 'message');
  return counted;
}

function addUp(counts: readonly Uint32Array[]): Uint32Array {
  const [first = new Uint32Array()] = counts;
  return first.map((_, second) => counts.reduce((sum, count) => sum + (count[second] ?? 0), 0));
}

if (isMainThread) await main();
else parentPort?.postMessage(await countAll(workerData));
