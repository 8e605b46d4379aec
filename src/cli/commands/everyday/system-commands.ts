import { hasCode, TributaryError } from '../../../errors/codes.ts';
import type { Exec } from '../../../system/exec.ts';
import { defineCommand, refuse } from '../../frame/command.ts';

/** Tasks for the system, with the program that does them, also where the agent is a container. */
const tasks = {
  logs: {
    description: "show the agent's log, and what it adds until Ctrl-C",
    done: 'shown',
    bySystemd: ['journalctl', '--unit', 'tributary', '--follow'],
    byDocker: 'docker logs --follow tributary',
  },
  start: {
    description: 'start the agent',
    done: 'started',
    bySystemd: ['systemctl', 'start', 'tributary'],
    byDocker: 'docker start tributary',
  },
  stop: {
    description: 'stop the agent: nothing is shared until it is started again, by you or at boot',
    done: 'stopped',
    bySystemd: ['systemctl', 'stop', 'tributary'],
    byDocker: 'docker stop tributary',
  },
  restart: {
    description: 'restart the agent',
    done: 'restarted',
    bySystemd: ['systemctl', 'restart', 'tributary'],
    byDocker: 'docker restart tributary',
  },
} as const;
type Task = keyof typeof tasks;

/** The system as these commands see it. */
export interface TaskHost {
  readonly isThere: (path: string) => Promise<boolean>;
  readonly exec: Exec;
  /** Runs a program at the terminal, and resolves with its exit code. */
  readonly runAttached: (program: string, args: readonly string[]) => Promise<number>;
}

async function openTaskHost(): Promise<TaskHost> {
  const { exec, runAttached } = await import('../../../system/exec.ts');
  const { isThere } = await import('../../../system/files.ts');
  return { exec, isThere, runAttached };
}

/**
 * Does a task by systemd. Where that is another's to do, as in a container, it does nothing, says
 * so, and names who does it.
 */
export function defineSystemCommand(task: Task, openHost = openTaskHost) {
  const { description, done, bySystemd, byDocker } = tasks[task];
  const [program, ...args] = bySystemd;
  const command = bySystemd.join(' ');
  return defineCommand({
    usage: task,
    description,
    options: { '--json': task === 'logs' ? 'an object for each entry' : 'one JSON object' },
    examples: { [`sudo tributary ${task}`]: `by ${command}` },
    async act({ options: { stateDir, json }, show }, context) {
      const nothing = `nothing was ${done}`;
      const host = await openHost();
      const refusal = await findRefusal(host, stateDir, byDocker);
      if (refusal !== undefined)
        throw refuse(`${nothing}: ${refusal.why}`, { action: refusal.action });
      if (task === 'logs') {
        const form = json === true ? ['--output', 'json'] : [];
        if ((await host.runAttached(program, [...args, ...form])) !== 0) context.setExitCode(1);
        return;
      }
      const doing = `${nothing}: asking systemd`;
      await host
        .exec({ program, args, doing, timeoutMs: 90_000 })
        .catch((error: unknown) => explainRefusal(error));
      await show({ command }, () => `The agent is ${done}.\n`);
    },
  });
}

/** Why the task is not this system's, and what to do then; undefined where it is. */
async function findRefusal(
  host: TaskHost,
  stateDir: string | undefined,
  byDocker: string,
): Promise<{ readonly why: string; readonly action?: string } | undefined> {
  if (stateDir && stateDir !== '/var/lib/tributary')
    return {
      why: `the agent of ${stateDir} is not the service of this system; ask what started it`,
    };
  const { isInContainer } = await import('../../../system/container-state.ts');
  if (await isInContainer(host))
    return {
      why: 'this is a container, which its host looks after',
      action: `On the host: ${byDocker}`,
    };
  if (await host.isThere('/run/systemd/system')) return undefined;
  return { why: 'there is no systemd here', action: 'Ask what started the agent: ps -ef' };
}

/** Where systemd asks for a password that nobody can give, the answer is root. */
function explainRefusal(error: unknown): never {
  const isDenied =
    hasCode(error, 'command-failed') &&
    /access denied|interactive authentication required|not permitted/i.test(error.message);
  if (!isDenied) throw error;
  throw new TributaryError('not-allowed', error.message, { cause: error });
}
