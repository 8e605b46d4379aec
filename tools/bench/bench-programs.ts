import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exec } from '../../src/system/exec.ts';
import {
  type Bench,
  type PartOptions,
  pause,
  readPid,
  sayingPid,
  startAgent,
  waitForProviding,
  withBench,
} from './bench-lab.ts';
import { countPrograms, type ExecAttempt, parseExecTrace } from './exec-trace.ts';
import type { Figure } from './figures.ts';

const settleSeconds = 20;
const strace = [
  'strace',
  '--seccomp-bpf',
  '-f',
  '-qq',
  '-ttt',
  '-e',
  'trace=execve',
  '-e',
  'signal=none',
  '-o',
];

/**
 * How many programs the agent starts until it provides, and while nothing happens. strace counts
 * them, in a run of its own.
 */
export async function measurePrograms(options: PartOptions): Promise<readonly Figure[]> {
  if (!(await canTrace())) {
    options.say(
      'programs: not counted, for want of strace; install it with: sudo apt-get install strace',
    );
    return [];
  }
  return withBench(options, async (bench) => {
    const { attempts, providingAt, restAt, endedAt } = await trace(bench, options);
    // The first one is the agent itself.
    const started = attempts.slice(1);
    const untilProviding = started.filter(({ atSeconds }) => atSeconds <= providingAt);
    const atRest = started.filter(({ atSeconds }) => atSeconds > restAt && atSeconds <= endedAt);
    const perMinute =
      (atRest.filter(({ isStarted }) => isStarted).length * 60) / (endedAt - restAt);
    return [
      {
        name: 'programs until providing',
        value: untilProviding.filter(({ isStarted }) => isStarted).length,
        unit: 'count',
        goal: { of: 'value', most: 12 },
        note: describe(untilProviding),
      },
      {
        name: 'programs at rest',
        value: perMinute,
        unit: 'per minute',
        goal: { of: 'value', most: 4 },
        note: describe(atRest),
      },
    ];
  });
}

const canTrace = () =>
  exec({ program: 'strace', args: ['-V'], doing: 'looking for strace' }).then(
    () => true,
    () => false,
  );

async function trace(bench: Bench, { restSeconds, say }: PartOptions) {
  const file = join(bench.lab.directory, 'strace');
  const agent = startAgent(bench, { wrapper: [...strace, file, ...sayingPid] });
  const pid = await readPid(agent);
  const { time } = JSON.parse(await waitForProviding(agent)) as { readonly time: string };
  const providingAt = Date.parse(time) / 1000;
  say(`programs: counting for ${settleSeconds + restSeconds} s`);
  await pause(settleSeconds);
  const restAt = Date.now() / 1000;
  await pause(restSeconds);
  const endedAt = Date.now() / 1000;
  // strace does not pass signals on, so the agent is signalled itself.
  process.kill(pid, 'SIGTERM');
  await agent.exited;
  // The first one is the shell that prints the process id.
  return {
    attempts: parseExecTrace(await readFile(file, 'utf8')).slice(1),
    providingAt,
    restAt,
    endedAt,
  };
}

function describe(attempts: readonly ExecAttempt[]): string {
  const counts = Object.entries(countPrograms(attempts)).map(([name, count]) => `${count} ${name}`);
  const failed = attempts.filter(({ isStarted }) => !isStarted).length;
  return [...counts, ...(failed === 0 ? [] : [`${failed} tried in vain`])].join(', ');
}
