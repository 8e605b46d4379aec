import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWorldCaller } from './bench-calls.ts';
import { computeRatio } from './medians.ts';
import { measurePeakMemory } from './peak-memory.ts';
import { startSandboxWorld } from './sandbox-world.ts';

/** How much memory it takes to list a network, in KiB. */
export interface ListMemory {
  readonly clients: number;
  /** The highest resident memory. */
  readonly commandKilobytes: number;
  readonly bareKilobytes: number;
  readonly ratio: number;
}

/**
 * How much garbage V8 leaves in memory depends on the machine. With a limit it collects in time, or
 * the command fails.
 */
const heapMebibytes = 40;

/**
 * Measures `tributary service clients` of the built program on so many clients, with a limited
 * heap, beside a Node that does nothing.
 * @throws LabError if it needs more
 */
export async function measureListMemory(program: string, clients: number): Promise<ListMemory> {
  await using world = await startSandboxWorld({ program, clients, networks: 1, days: 1 });
  const stateDirectory = await mkdtemp(join(tmpdir(), 'tributary-state-'));
  try {
    const { networkJwt } = await createWorldCaller(world);
    const env = { TRIBUTARY_SERVICE_BASE_URL: world.baseUrl, TRIBUTARY_NETWORK_JWT: networkJwt };
    const args = [
      `--max-heap-size=${heapMebibytes}`,
      program,
      'service',
      'clients',
      '--state-dir',
      stateDirectory,
    ];
    const commandKilobytes = await measurePeakMemory(args, env);
    const bareKilobytes = await measurePeakMemory(['--eval', '0']);
    const ratio = computeRatio(commandKilobytes, bareKilobytes);
    return { clients, commandKilobytes, bareKilobytes, ratio };
  } finally {
    await rm(stateDirectory, { recursive: true, force: true });
  }
}
