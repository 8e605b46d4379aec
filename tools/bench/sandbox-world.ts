import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { type LabProcess, startProcess } from '../lab/processes.ts';

/** A simulated world and the service that runs on it. */
export interface SandboxWorld extends AsyncDisposable {
  readonly clients: number;
  /** The process id of the service. */
  readonly pid: number;
  readonly baseUrl: string;
  readonly authCode: string;
  readonly guestJwt: string;
  /** Runs a subcommand of the sandbox on this world. Resolves with its JSON. @throws LabError */
  order(...args: readonly string[]): Promise<unknown>;
}

/** How large the world is, and which program runs it. */
export interface SandboxWorldOptions {
  /** The built program. */
  readonly program: string;
  readonly clients: number;
  /** The number of networks that they belong to. */
  readonly networks: number;
  readonly days: number;
}

const firstLine = z.object({ baseUrl: z.string(), authCode: z.string(), guestJwt: z.string() });

/**
 * Makes a world in a directory of its own and starts the service on it. Disposing removes both.
 * @throws LabError
 */
export async function startSandboxWorld(options: SandboxWorldOptions): Promise<SandboxWorld> {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-world-'));
  let service: LabProcess | undefined;
  const remove = async () => {
    service?.kill();
    await service?.exited;
    await rm(directory, { recursive: true, force: true });
  };
  const sandbox = (...args: readonly string[]) =>
    startProcess({
      argv: [process.execPath, options.program, 'sandbox', ...args, '--data', directory, '--json'],
    });
  const order = async (...args: readonly string[]): Promise<unknown> =>
    JSON.parse(await sandbox(...args).waitForLine((line) => line.startsWith('{'), 600_000));
  try {
    const { clients, networks, days } = options;
    await order(
      'seed',
      '--clients',
      `${clients}`,
      '--networks',
      `${networks}`,
      '--days',
      `${days}`,
    );
    service = sandbox('--wireguard', 'off');
    const said = firstLine.parse(
      JSON.parse(await service.waitForLine((line) => line.startsWith('{'))),
    );
    return { ...said, clients, pid: service.pid, order, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
