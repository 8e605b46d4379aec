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
import { findProcesses, readKilobytes, readTreeUse } from './process-tree.ts';

/** The garbage of the start is collected ten seconds after it, so this waits longer. */
const settleSeconds = 20;

/** CPU of the agent and of the programs that it keeps, while nothing happens. */
export function measureRest(options: PartOptions): Promise<readonly Figure[]> {
  return withBench(options, (bench) =>
    withAgentAtRest(bench, process.execPath, async (pid) => {
      options.say(`rest: watching for ${options.restSeconds} s`);
      const readWireGuard = () => findWireGuard()?.cpuSeconds ?? 0;
      const [before, wireGuardBefore, startedAtMs] = [
        readTreeUse(pid),
        readWireGuard(),
        performance.now(),
      ];
      await pause(options.restSeconds);
      const [after, wireGuardAfter] = [readTreeUse(pid), readWireGuard()];
      const toPercent = (seconds: number) =>
        (seconds * 100_000) / (performance.now() - startedAtMs);
      const whole = after.cpuSeconds - before.cpuSeconds;
      const own = after.ownCpuSeconds - before.ownCpuSeconds;
      return [
        {
          name: 'CPU at rest',
          value: toPercent(whole),
          unit: 'percent',
          goal: { of: 'value', most: 0.1 },
        },
        { name: '  agent and what it started', value: toPercent(own), unit: 'percent' },
        {
          name: '  kept programs',
          value: toPercent(Math.max(0, whole - own)),
          unit: 'percent',
          note: after.kept.join(', '),
        },
        {
          name: '  not counted: wireguard-go',
          value: toPercent(wireGuardAfter - wireGuardBefore),
          unit: 'percent',
        },
      ];
    }),
  );
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
      return [
        {
          name: 'resident memory',
          value: kilobytes,
          unit: 'kibibytes',
          beside: { name: 'bare Node', value: bareKilobytes },
          goal: { of: 'ratio', most: 1.65 },
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
