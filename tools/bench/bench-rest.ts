import { spawn } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Bench,
  type PartOptions,
  pause,
  readPid,
  sayingPid,
  startAgent,
  stopAgent,
  waitForProviding,
  withBench,
} from './bench-lab.ts';
import type { Figure } from './figures.ts';
import {
  countWakes,
  findProcesses,
  forgetUse,
  readExactSeconds,
  readKilobytes,
  readTreeUse,
  readUsedKilobytes,
} from './process-tree.ts';

/** The garbage of the start is collected ten seconds after it, so this waits longer. */
const settleSeconds = 20;
/** What is not used for so long is not needed at rest: every loop has come round by then. */
const usedSeconds = 60;

/** What the agent did in one window of time, in percent of a core, and its wakes in a minute. */
interface Window {
  readonly whole: number;
  readonly own: number;
  readonly wireGuard: number;
  readonly wakes: number;
  readonly allWakes: number;
}

/**
 * CPU of the agent and of the programs that it keeps, while nothing happens: the least of several
 * windows, because what else runs on a machine only adds to it.
 */
export function measureRest(options: PartOptions): Promise<readonly Figure[]> {
  const { rounds, restSeconds, say } = options;
  return withBench(options, (bench) =>
    withAgentAtRest(bench, process.execPath, async (pid) => {
      const windows: Window[] = [];
      for (let round = 1; round <= rounds; round += 1) {
        say(`rest: watching for ${restSeconds} s, ${round} of ${rounds}`);
        windows.push(await watch(pid, restSeconds));
      }
      windows.sort((one, other) => one.whole - other.whole);
      const [least] = windows;
      if (least === undefined) return [];
      const most = windows.at(-1)?.whole ?? Number.NaN;
      return [
        {
          name: 'CPU at rest',
          value: least.whole,
          unit: 'percent',
          goal: { of: 'value', most: 0.05 },
          note: `the least of ${rounds} windows; the most ${most.toFixed(3)} %`,
        },
        { name: '  agent and what it started', value: least.own, unit: 'percent' },
        {
          name: '  kept programs',
          value: least.whole - least.own,
          unit: 'percent',
          note: readTreeUse(pid).kept.join(', '),
        },
        { name: '  not counted: wireguard-go', value: least.wireGuard, unit: 'percent' },
        {
          name: 'wakes at rest',
          value: Math.min(...windows.map(({ wakes }) => wakes)),
          unit: 'per minute',
          goal: { of: 'value', most: 60 },
          note: `of all threads ${Math.min(...windows.map(({ allWakes }) => allWakes)).toFixed(0)}`,
        },
      ];
    }),
  );
}

async function watch(pid: number, seconds: number): Promise<Window> {
  const read = () => ({
    atMs: performance.now(),
    seconds: readExactSeconds(pid),
    wireGuard: findWireGuard()?.cpuSeconds ?? 0,
    wakes: countWakes(pid),
  });
  const before = read();
  await pause(seconds);
  const after = read();
  const tookSeconds = (after.atMs - before.atMs) / 1000;
  const toPercent = (used: number) => (Math.max(0, used) * 100) / tookSeconds;
  const perMinute = (count: number) => (count * 60) / tookSeconds;
  return {
    whole: toPercent(after.seconds.all - before.seconds.all),
    own: toPercent(after.seconds.own - before.seconds.own),
    wireGuard: toPercent(after.wireGuard - before.wireGuard),
    wakes: perMinute(after.wakes.own - before.wakes.own),
    allWakes: perMinute(after.wakes.all - before.wakes.all),
  };
}

/**
 * Resident memory, compared with a Node that does nothing. Each is the only user of its copy of
 * Node, as on a device.
 */
export function measureMemory(options: PartOptions): Promise<readonly Figure[]> {
  return withBench(options, async (bench) => {
    const copyNode = async (name: string) => {
      const path = join(bench.lab.directory, name);
      await copyFile(process.execPath, path);
      return path;
    };
    const [agentNode, bareNode] = [await copyNode('node'), await copyNode('bare-node')];
    options.say(`memory: ${settleSeconds} s until the agent is at rest`);
    return withAgentAtRest(bench, agentNode, async (pid) => {
      const bare = spawn(bareNode, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' });
      await pause(2);
      const bareKilobytes = readKilobytes(bare.pid ?? 0);
      const bareAnonymous = readKilobytes(bare.pid ?? 0, 'Pss_Anon');
      bare.kill();
      const { kilobytes, ownKilobytes, anonymousKilobytes, kept } = readTreeUse(pid);
      const wireGuard = findWireGuard();
      forgetUse(pid);
      await pause(usedSeconds);
      const beside = { name: 'bare Node', value: bareKilobytes };
      return [
        { name: 'resident memory', value: kilobytes, unit: 'kibibytes', beside },
        {
          name: '  of that used at rest',
          value: readUsedKilobytes(pid),
          unit: 'kibibytes',
          beside,
          goal: { of: 'ratio', most: 1.4 },
          note: 'all else are pages of files, which the packaged unit gives back',
        },
        {
          name: '  of that not of a file',
          value: anonymousKilobytes,
          unit: 'kibibytes',
          beside: { name: 'bare Node', value: bareAnonymous },
          goal: { of: 'value', most: 24 * 1024 },
        },
        { name: '  agent', value: ownKilobytes, unit: 'kibibytes' },
        {
          name: '  kept programs',
          value: kilobytes - ownKilobytes,
          unit: 'kibibytes',
          note: kept.join(', '),
        },
        ...(wireGuard === undefined
          ? []
          : [
              {
                name: '  not counted: wireguard-go',
                value: readKilobytes(wireGuard.pid),
                unit: 'kibibytes',
              } as const satisfies Figure,
            ]),
      ];
    });
  });
}

async function withAgentAtRest(
  bench: Bench,
  node: string,
  measure: (pid: number) => Promise<readonly Figure[]>,
): Promise<readonly Figure[]> {
  const agent = startAgent(bench, { wrapper: sayingPid, node });
  const pid = await readPid(agent);
  await waitForProviding(agent);
  await pause(settleSeconds);
  const figures = await measure(pid);
  await stopAgent(agent);
  return figures;
}

/** The tunnel's wireguard-go, not the service's; undefined with the kernel's WireGuard. */
const findWireGuard = () => findProcesses('wireguard-go', 'trib-bench')[0];
