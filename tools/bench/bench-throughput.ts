import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Lab, waitForDownload } from '../lab/lab.ts';
import { LabError } from '../lab/lab-error.ts';
import {
  type Bench,
  type PartOptions,
  startAgent,
  startScript,
  stopAgent,
  stopScript,
  waitForProviding,
  withBench,
} from './bench-lab.ts';
import type { Figure } from './figures.ts';
import { computeMedian } from './medians.ts';

const downloadBytes = 64 * 1024 ** 2;

/**
 * What a consumer downloads over one connection, alternately through the agent's and the script's
 * tunnel of one client.
 */
export function measureThroughput(options: PartOptions): Promise<readonly Figure[]> {
  return withBench(options, async (bench) => {
    const agent: number[] = [];
    const script: number[] = [];
    for (let round = 1; round <= options.rounds; round += 1) {
      options.say(`throughput: round ${round} of ${options.rounds}`);
      const running = startAgent(bench);
      await waitForProviding(running);
      agent.push(await download(bench.lab));
      await stopAgent(running);
      if (round === 1) await handOver(bench);
      await startScript(bench);
      script.push(await download(bench.lab));
      await stopScript(bench);
    }
    return [
      {
        name: 'throughput',
        value: computeMedian(agent),
        unit: 'megabits per second',
        beside: { name: 'shell script', value: computeMedian(script) },
        note: await readCarrier(),
      },
    ];
  });
}

/** What carries both tunnels where the kernel does not, which limits the throughput. */
async function readCarrier(): Promise<string> {
  const said = await promisify(execFile)('wireguard-go', ['--version']).catch(() => undefined);
  const version = /^wireguard-go \S+/.exec(said?.stdout ?? '')?.[0];
  return `tunnels by ${version ?? 'the kernel, or a wireguard-go that does not say its version'}`;
}

/**
 * Gives the agent's client to the script. With another client, the service would go on sending
 * consumers to the agent's for three minutes.
 */
async function handOver({ lab, scriptDirectory }: Bench): Promise<void> {
  const read = async (name: string) =>
    JSON.parse(await readFile(join(lab.stateDirectory, name), 'utf8')).data;
  await writeFile(join(scriptDirectory, 'client'), (await read('identity.json')).clientId);
  await writeFile(
    join(scriptDirectory, 'authorization'),
    `Authorization: Bearer ${(await read('network-jwt.json')).token}\n`,
  );
}

/** The first, short download waits until the service sends consumers here. */
async function download(lab: Lab): Promise<number> {
  await waitForDownload(lab.startDownload(100_000, 20));
  const { bytes, seconds, isWhole } = await waitForDownload(lab.startDownload(downloadBytes, 60));
  if (!isWhole) throw new LabError(`a download ended after ${bytes} bytes`);
  return (bytes * 8) / seconds / 1e6;
}
