import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LabError } from '../lab/lab-error.ts';
import type { LabProcess } from '../lab/processes.ts';
import {
  type Bench,
  type PartOptions,
  pause,
  startAgent,
  waitForProviding,
  withBench,
} from './bench-lab.ts';
import { type KeyChanger, keyChangerUrl, startKeyChanger } from './changed-key.ts';
import { type ConsumerTraffic, startConsumerTraffic } from './consumer-traffic.ts';
import type { Figure } from './figures.ts';
import { computeMedian } from './medians.ts';
import { findProcesses } from './process-tree.ts';
import { readUnitTimes, type UnitTimes } from './unit-times.ts';

/** What a disturbance works on. Each disturbance leaves an agent that provides. */
interface Scene {
  readonly bench: Bench;
  readonly traffic: ConsumerTraffic;
  readonly keyChanger: KeyChanger;
  readonly times: UnitTimes;
  agent: LabProcess;
}

/**
 * Disturbances take long, so they are repeated at most this often. A hang takes longest and is
 * tried once.
 */
const mostRounds = 3;

/**
 * How long consumers' traffic stops. An agent that ends is started again in the way of the packaged
 * unit.
 */
export function measureGaps(options: PartOptions): Promise<readonly Figure[]> {
  const service = { base_url: keyChangerUrl, profile: 'documented', allow_insecure_http: true };
  const work = (bench: Bench) => measureInScene(bench, options);
  return withBench(options, work, { config: { service } });
}

async function measureInScene(
  bench: Bench,
  { rounds, say }: PartOptions,
): Promise<readonly Figure[]> {
  const unit = await readFile(join(bench.distDirectory, '../systemd/tributary.service'), 'utf8');
  const times = readUnitTimes(unit);
  const keyChanger = await startKeyChanger(bench);
  const agent = startLikeUnit(bench);
  await waitForProviding(agent);
  const traffic = await startConsumerTraffic(bench);
  const scene: Scene = { bench, traffic, keyChanger, times, agent };
  const measure = async (
    name: string,
    most: number,
    disturb: (scene: Scene) => Promise<number>,
  ) => {
    const seconds: number[] = [];
    const count = disturb === hang ? 1 : Math.min(rounds, mostRounds);
    for (let round = 1; round <= count; round += 1) {
      say(`gaps: ${name}, round ${round} of ${count}`);
      await traffic.waitForFlow();
      seconds.push(await disturb(scene));
    }
    const goal = { of: 'value', most } as const;
    return { name: `gap: ${name}`, value: computeMedian(seconds), unit: 'seconds', goal } as const;
  };
  const flushed = await measure('firewall flushed', 1, flush);
  const { restartSeconds, watchdogSeconds } = times;
  return [
    { ...flushed, name: 'put right: firewall flushed' },
    await measure('new key at a renewal', 0.7, changeKey),
    await measure('restart', 0.3, restart),
    { ...(await measure('kill -9', 2, kill)), note: `${restartSeconds} s of it RestartSec` },
    {
      ...(await measure('hang', 25, hang)),
      note: `killed after ${watchdogSeconds} s, WatchdogSec`,
    },
  ];
}

/** The packaged service leaves the closed fence in place for the next start. */
const startLikeUnit = (bench: Bench) => startAgent(bench, { args: ['--keep-fence'] });

async function restart(scene: Scene): Promise<number> {
  const startedAtMs = Date.now();
  scene.agent.kill('SIGTERM');
  await scene.agent.exited;
  return startAgain(scene, startedAtMs);
}

async function kill(scene: Scene): Promise<number> {
  const startedAtMs = Date.now();
  await killLikeUnit(scene);
  return startAgain(scene, startedAtMs);
}

/** The longest gap: the agent hangs just after it reported that it is well. */
async function hang(scene: Scene): Promise<number> {
  const startedAtMs = Date.now();
  scene.agent.kill('SIGSTOP');
  await pause(scene.times.watchdogSeconds);
  await killLikeUnit(scene);
  return startAgain(scene, startedAtMs);
}

/**
 * Kills the agent as systemd does, with everything that a killed service leaves, wireguard-go
 * included, and waits as systemd does before the next start.
 */
async function killLikeUnit({ agent, times }: Scene): Promise<void> {
  agent.kill('SIGKILL');
  await agent.exited;
  const wireGuard = findProcesses('wireguard-go', 'trib-bench')[0];
  if (wireGuard !== undefined) process.kill(wireGuard.pid, 'SIGKILL');
  await pause(times.restartSeconds);
}

async function startAgain(scene: Scene, sinceMs: number): Promise<number> {
  scene.agent = startLikeUnit(scene.bench);
  await waitForProviding(scene.agent);
  await scene.traffic.waitForFlow();
  return scene.traffic.gapSince(sinceMs);
}

async function changeKey({ keyChanger, traffic }: Scene): Promise<number> {
  const changedAtMs = await keyChanger.change();
  // WireGuard tries again within this time.
  await pause(6);
  await traffic.waitForFlow();
  return traffic.gapSince(changedAtMs);
}

/** Seconds until every rule has been restored. */
async function flush({ bench }: Scene): Promise<number> {
  const { network } = bench.lab;
  const list = async () => {
    const listed = await network.run('device', 'nft', '-s', 'list', 'table', 'inet', 'tributary');
    // Only the rules count: the sets, which come first, change with the traffic.
    return listed.slice(listed.indexOf('chain '));
  };
  const before = await list();
  await network.run('device', 'nft', 'flush', 'table', 'inet', 'tributary');
  const flushedAtMs = performance.now();
  for (let tries = 0; tries < 1000; tries += 1) {
    const isRight = (await list()) === before;
    if (isRight) return (performance.now() - flushedAtMs) / 1000;
    await pause(0.02);
  }
  throw new LabError('the firewall did not come back');
}
