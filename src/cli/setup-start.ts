import { defaultConfigPath } from '../config/config-file.ts';
import { hasCode } from '../lib/errors.ts';
import { sleep } from '../lib/sleep.ts';
import { askAgent } from '../status/socket-client.ts';
import { exec } from '../system/exec.ts';
import { isThere } from '../system/files.ts';
import { parseStatus } from './status.ts';

/** Enables and (re)starts the packaged service that runs this configuration; undefined where systemd has none. */
export async function findStart(path: string) {
  if (path !== defaultConfigPath || !(await isThere('/run/systemd/system'))) return undefined;
  const doing = 'starting tributary.service';
  const run = (command: 'cat' | 'enable' | 'restart') =>
    exec({ program: 'systemctl', args: [command, 'tributary.service'], doing, timeoutMs: 90_000 });
  return run('cat').then(
    () => () => run('enable').then(() => run('restart')),
    () => undefined,
  );
}

/** The agent's status once it is more than on its way, or as it is after `limitMs`; undefined where no agent answers by then. */
export async function waitForStatus(socketPaths: readonly string[], limitMs: number, signal: AbortSignal) {
  const untilMs = performance.now() + limitMs;
  for (;;) {
    const answer = await askAgent(socketPaths, { method: 'GET', path: '/status.json' }).catch((error: unknown) => {
      if (!hasCode(error, 'not-running', 'command-failed')) throw error;
    });
    const status = answer === undefined ? undefined : await parseStatus(answer);
    const isOnItsWay = ['registering', 'connecting', 'signed-out', 'stopping', undefined].includes(status?.phase);
    if (!isOnItsWay || performance.now() >= untilMs || !(await sleep(500, signal))) return status;
  }
}
