import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWorldCaller } from './bench-calls.ts';
import { computeRatio } from './medians.ts';
import { measurePeakMemory } from './peak-memory.ts';
import { startSandboxWorld } from './sandbox-world.ts';

/** What it takes to list a network, in KiB. */
export interface ListMemory {
  readonly clients: number;
  /** The most it took, resident. */
  readonly commandKilobytes: number;
  readonly bareKilobytes: number;
  readonly ratio: number;
}

/**
 * How much garbage V8 lets pile up depends on the machine. Told a limit it collects in time, or the
 * command fails.
 */
const heapMebibytes = 40;

/**
 * `tributary network clients` of the built program on so many clients, with a limit to its heap,
 * beside a Node that does nothing. @throws LabError where it needs more than that
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
      'network',
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
