import { join } from 'node:path';
import { Pool } from 'undici';
import type { OperationName } from '../../src/service/operations.ts';
import { LabError } from '../lab/lab-error.ts';
import { startProcess } from '../lab/processes.ts';
import type { WireRequest, WorldCaller } from './bench-calls.ts';
import { computeMedian, computeRatio } from './medians.ts';
import { readTreeUse } from './process-tree.ts';

/**
 * Operations that only read, each with the goal: how many times a bare server's processor time it
 * may take.
 */
const goals = {
  payoutWallet: 3,
  wallets: 3,
  deviceAssociations: 3,
  findProviders2: 15,
  findProviders: 15,
  findLocations: 15,
  providerLocations: 15,
  createProviderSpec: 15,
} as const satisfies Partial<Record<OperationName, number>>;

/** One operation under load: processor time for an answer, and its ratio to a bare server's. */
export interface OperationLoad {
  readonly operation: keyof typeof goals;
  readonly microseconds: number;
  readonly timesBare: number;
  readonly goal: number;
}

/** A server's process, and the question that it is asked. */
interface Asked {
  readonly pid: number;
  readonly request: WireRequest;
}

const connections = 10;
const runMs = 1000;
const rounds = 5;

/**
 * Ten connections ask each operation of the world for a second, and a bare server alternately. The
 * servers' own processor time is compared, because on two cores the callers and other programs take
 * more time than the servers.
 * @throws LabError
 */
export async function measureLoad(
  caller: WorldCaller,
  distDirectory: string,
): Promise<readonly OperationLoad[]> {
  const bare = startProcess({ argv: [process.execPath, join(distDirectory, 'bare-server.cjs')] });
  try {
    const bareUrl = await bare.waitForLine((line) => line.startsWith('http'));
    const names = Object.keys(goals) as (keyof typeof goals)[];
    const samples = names.map((operation) => ({
      operation,
      costs: [] as number[],
      times: [] as number[],
    }));
    // The first round warms up.
    for (let round = 0; round <= rounds; round += 1) {
      for (const { operation, costs, times } of samples) {
        const request = caller.toWire(operation);
        const bareCost = await measureAnswer({
          pid: bare.pid,
          request: { ...request, baseUrl: bareUrl },
        });
        const cost = await measureAnswer({ pid: caller.pid, request });
        if (round === 0) continue;
        costs.push(cost);
        times.push(cost / bareCost);
      }
    }
    return samples.map(({ operation, costs, times }) => ({
      operation,
      microseconds: Math.round(computeMedian(costs)),
      timesBare: computeRatio(computeMedian(times), 1),
      goal: goals[operation],
    }));
  } finally {
    bare.kill();
    await bare.exited;
  }
}

/**
 * Microseconds of processor time for each answer.
 * @throws LabError for an answer that is not 200
 */
async function measureAnswer({ pid, request: { baseUrl, ...request } }: Asked): Promise<number> {
  const pool = new Pool(baseUrl, { connections });
  const startedMs = performance.now();
  const before = readTreeUse(pid).ownCpuSeconds;
  let answers = 0;
  const ask = async () => {
    while (performance.now() - startedMs < runMs) {
      const { statusCode, body } = await pool.request(request);
      await body.arrayBuffer();
      if (statusCode !== 200) throw new LabError(`${request.path}: status ${statusCode}`);
      answers += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, ask));
  const used = readTreeUse(pid).ownCpuSeconds - before;
  await pool.close();
  return (used * 1e6) / answers;
}
