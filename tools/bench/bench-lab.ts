import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLab, type Lab, type LabOptions } from '../lab/lab.ts';
import { LabError } from '../lab/lab-error.ts';
import { type LabCommand, type LabProcess, startProcess } from '../lab/processes.ts';
import { renderBaseline } from './baseline.ts';

/** A lab with an auth code that lasts for all rounds, and with the script for comparison. */
export interface Bench {
  readonly lab: Lab;
  /** Starts a process that ends with this lab, however the lab ends. */
  readonly start: (command: LabCommand) => LabProcess;
  readonly authCode: string;
  /** The folder of the built program. */
  readonly distDirectory: string;
  /** The folder in which the shell script keeps its state. */
  readonly scriptDirectory: string;
  readonly script: string;
}

/** What a part of the benchmark is given. */
export interface PartOptions {
  readonly distDirectory: string;
  readonly rounds: number;
  /** How long the agent is observed at rest. */
  readonly restSeconds: number;
  /** Reports what is being done, for people who wait. */
  readonly say: (line: string) => void;
}

/** Runs the work in a lab of its own. @throws LabError */
export async function withBench<Result>(
  { distDirectory }: Pick<PartOptions, 'distDirectory'>,
  work: (bench: Bench) => Promise<Result>,
  options: Pick<LabOptions, 'config' | 'source' | 'consumers'> = {},
): Promise<Result> {
  const lab = await createLab({ id: 'bench', profile: 'documented', distDirectory, ...options });
  const processes = new Set<LabProcess>();
  const start = (command: LabCommand) => {
    const started = startProcess(command);
    processes.add(started);
    return started;
  };
  try {
    const data = join(lab.directory, 'service');
    const order = [
      join(distDirectory, 'tributary.cjs'),
      'sandbox',
      'auth-code',
      '--uses',
      '1000',
      '--json',
    ];
    const said = await lab.network.run('proxy', process.execPath, ...order, '--data', data);
    const { authCode } = JSON.parse(said) as { readonly authCode: string };
    const scriptDirectory = join(lab.directory, 'script');
    const script = join(lab.directory, 'baseline.sh');
    const baseline = {
      tunnel: 'base-bench',
      baseUrl: lab.baseUrl,
      stateDirectory: scriptDirectory,
    };
    await mkdir(scriptDirectory, { mode: 0o700 });
    await writeFile(script, renderBaseline(baseline));
    return await work({ lab, start, authCode, distDirectory, scriptDirectory, script });
  } finally {
    for (const running of processes) running.kill('SIGKILL');
    await Promise.all([...processes].map((running) => running.exited));
    await lab.remove();
  }
}

/** Deletes the state, so that the next start is a first one. */
export async function forget(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { mode: 0o700 });
}

type Wrapper = readonly string[];

/** How to start the agent. */
export interface AgentStart {
  /** A command that runs the program; it comes before the program's own arguments. */
  readonly wrapper?: Wrapper;
  readonly node?: string;
  /** More options of `run`. */
  readonly args?: readonly string[];
}

/** The agent, `run` by the program as the package installs it. */
export function startAgent(
  { lab, start, authCode, distDirectory }: Bench,
  how: AgentStart = {},
): LabProcess {
  const { wrapper = [], node = process.execPath, args = [] } = how;
  const [ip, netns, exec, host, , , ...rest] = lab.command('run', ...args);
  const program = join(distDirectory, 'program/tributary.cjs');
  const argv = [ip, netns, exec, host, ...wrapper, node, program, ...rest] as [string, ...string[]];
  return start({ argv, env: { TRIBUTARY_AUTH_CODE: authCode } });
}

/**
 * Waits for the log's line (JSON) that the agent provides. It is written after the pass that let
 * traffic through.
 * @throws LabError
 */
export function waitForProviding(agent: LabProcess): Promise<string> {
  return agent.waitForLine((line) => line.includes('"phase":"providing"'), 60_000);
}

/** Prints its process id on the first line, then becomes the program. */
export const sayingPid: Wrapper = ['sh', '-c', 'echo "pid $$"; exec "$@"', 'sh'];

/** The process id in that line. @throws LabError */
export async function readPid(running: LabProcess): Promise<number> {
  return Number(
    /^pid (\d+)$/.exec(await running.waitForLine((line) => line.startsWith('pid ')))?.[1],
  );
}

/** Ends the agent as its owner does. */
export async function stopAgent(agent: LabProcess): Promise<void> {
  agent.kill('SIGTERM');
  await agent.exited;
}

export const pause = (seconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, seconds * 1000));

/** Seconds until the script provides. It has ended by then. @throws LabError */
export async function startScript({ lab, start, authCode, script }: Bench): Promise<number> {
  const startedAtMs = performance.now();
  const argv = lab.network.on('device', 'sh', script, 'up');
  const running = start({ argv, env: { AUTH_CODE: authCode } });
  await running.waitForLine((line) => line === 'providing');
  const seconds = (performance.now() - startedAtMs) / 1000;
  if ((await running.exited) === 0) return seconds;
  throw new LabError(`the shell script failed: ${running.lines.slice(-3).join(' | ')}`);
}

/** Removes what the script made. */
export const stopScript = ({ lab, script }: Bench) =>
  lab.network.run('device', 'sh', script, 'down');

/** The load of this machine, for people who read the figures. */
export async function readLoad(): Promise<string> {
  return (await readFile('/proc/loadavg', 'utf8')).split(' ').slice(0, 3).join(' ');
}
