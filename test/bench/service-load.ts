import { join } from 'node:path';
import { Pool } from 'undici';
import { TributaryError } from '../../src/lib/errors.ts';
import type { OperationName } from '../../src/service/operations.ts';
import { startProcess } from '../lab/processes.ts';
import type { WireRequest, WorldCaller } from './bench-calls.ts';
import { computeMedian, computeRatio } from './medians.ts';

/** Operations that only read, and how many times a bare server's time each may take. */
export const goals = {
  payoutWallet: 3,
  wallets: 3,
  deviceAssociations: 3,
  findProviders2: 15,
  findProviders: 15,
  findLocations: 15,
  providerLocations: 15,
  createProviderSpec: 15,
} as const satisfies Partial<Record<OperationName, number>>;

/** One operation under load: requests per second, and by how much a bare server answers more. */
export interface OperationLoad {
  readonly operation: keyof typeof goals;
  readonly perSecond: number;
  readonly timesBare: number;
  readonly goal: number;
}

const connections = 10;
const runMs = 1000;
const rounds = 4;

/** Ten connections ask each operation of the world for a second, and a bare server beside it, in turn. @throws lab-failed */
export async function measureLoad(caller: WorldCaller, distDirectory: string): Promise<readonly OperationLoad[]> {
  const bare = startProcess({ argv: [process.execPath, join(distDirectory, 'bare-server.cjs')] });
  try {
    const bareUrl = await bare.waitForLine((line) => line.startsWith('http'));
    const names = Object.keys(goals) as (keyof typeof goals)[];
    const samples = names.map((operation) => ({ operation, rates: [] as number[], times: [] as number[] }));
    // The first round warms up.
    for (let round = 0; round <= rounds; round += 1) {
      for (const { operation, rates, times } of samples) {
        const request = caller.toWire(operation);
        const bareRate = await countAnswers({ ...request, baseUrl: bareUrl });
        const rate = await countAnswers(request);
        if (round === 0) continue;
        rates.push(rate);
        times.push(bareRate / rate);
      }
    }
    return samples.map(({ operation, rates, times }) => ({
      operation,
      perSecond: Math.round(computeMedian(rates)),
      timesBare: computeRatio(computeMedian(times), 1),
      goal: goals[operation],
    }));
  } finally {
    bare.kill();
    await bare.exited;
  }
}

/** Answers per second. @throws lab-failed where one is not 200 */
async function countAnswers({ baseUrl, ...request }: WireRequest): Promise<number> {
  const pool = new Pool(baseUrl, { connections });
  const startedMs = performance.now();
  let answers = 0;
  const ask = async () => {
    while (performance.now() - startedMs < runMs) {
      const { statusCode, body } = await pool.request(request);
      await body.arrayBuffer();
      if (statusCode !== 200) throw new TributaryError('lab-failed', `${request.path}: status ${statusCode}`);
      answers += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, ask));
  const perSecond = (answers * 1000) / (performance.now() - startedMs);
  await pool.close();
  return perSecond;
}
