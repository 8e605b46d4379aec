import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { planLaunch } from '../../../src/source/connect/launch.ts';

/**
 * Starts a command with this network device as the agent starts its engine, until the test is over.
 * `errors` is what it writes to standard error.
 */
export function launchOn(
  device: string,
  command: readonly string[],
): { readonly running: ChildProcessWithoutNullStreams; readonly errors: readonly string[] } {
  const user = { uid: 0, gid: 0, name: 'root', isOther: false };
  const { program = '', args = [] } = planLaunch({ command, user, device }) ?? {};
  const running = spawn(program, args, { env: {}, stdio: ['pipe', 'pipe', 'pipe'] });
  onTestFinished(() => void running.kill('SIGKILL'));
  const errors: string[] = [];
  running.stderr.on('data', (text) => errors.push(String(text)));
  return { running, errors };
}
