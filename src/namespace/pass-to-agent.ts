import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { isBitSet } from '../system/process-status.ts';

/** Signals the agent, pasta's one child: pasta itself would end at once, and take the network away too early. */
export async function passToAgent(pasta: Pick<ChildProcess, 'pid' | 'kill'>, signal: NodeJS.Signals): Promise<void> {
  const agent = await findAgent(`/proc/${pasta.pid}/task/${pasta.pid}/children`);
  if (agent === undefined) return void pasta.kill(signal);
  // The first process of a process namespace loses signals that it does not listen to yet.
  // SIGHUP is the agent's last handler, and Node alone catches only others.
  const isListening = isBitSet(await readFile(`/proc/${agent}/status`, 'utf8'), 'SigCgt', constants.signals.SIGHUP - 1);
  if (isListening) process.kill(agent, signal);
  else if (signal !== 'SIGHUP') process.kill(agent, 'SIGKILL');
}

const birthMs = 2_000;

/** The process; undefined where it did not come, or where the kernel does not list children. */
async function findAgent(listOfChildren: string): Promise<number | undefined> {
  const deadlineMs = performance.now() + birthMs;
  while (performance.now() < deadlineMs) {
    const processId = Number.parseInt(await readFile(listOfChildren, 'utf8').catch(() => ''), 10);
    if (processId > 0) return processId;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return undefined;
}
