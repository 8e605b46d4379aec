import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type LabProcess, startProcess } from '../../../tools/lab/processes.ts';

/**
 * Where containers are built and run. Everything started in it ends with it, and with the process
 * that made it.
 */
export interface Stage extends AsyncDisposable {
  /** Starts a command there; `netns` is one of the stage's own, by name. */
  start(command: readonly string[], netns?: string): LabProcess;
  /** Runs a command to its end: what it said. @throws Error where it does not exit with 0 */
  run(command: readonly string[], netns?: string): Promise<string>;
}

/** Sets the stage; needs root. */
export async function setStage(env: Readonly<Record<string, string>>): Promise<Stage> {
  const script = join(import.meta.dirname, 'stage.sh');
  const keeper = spawn('sh', [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => keeper.once('close', () => resolve()));
  const isSet = new Promise<boolean>((resolve) => {
    createInterface({ input: keeper.stdout }).once('line', () => resolve(true));
  });
  if (!(await Promise.race([isSet, ended.then(() => false)])))
    throw new Error('the stage could not be set');
  // unshare stays outside of the process namespace that it made; its child is the first inside.
  const inner = (await readFile(`/proc/${keeper.pid}/task/${keeper.pid}/children`, 'utf8')).trim();
  const enter = (command: readonly string[], netns?: string) =>
    [
      ...(['nsenter', '--target', inner, '--mount', '--cgroup', '--pid', '--'] as const),
      // Not `ip netns exec`, which shows another /sys, without the control groups.
      ...(netns === undefined ? [] : ['nsenter', `--net=/run/netns/${netns}`, '--']),
      ...command,
    ] as const;
  const start = (command: readonly string[], netns?: string) =>
    startProcess({ argv: enter(command, netns), env });
  return {
    start,
    async run(command, netns) {
      const running = start(command, netns);
      const exitCode = await running.exited;
      const text = running.lines.join('\n');
      if (exitCode === 0) return text;
      throw new Error(`${command.join(' ')} exited with ${exitCode}: ${text.slice(-2000)}`);
    },
    async [Symbol.asyncDispose]() {
      keeper.stdin.end();
      await ended;
    },
  };
}
