import { join } from 'node:path';
import { defaultConfigPath } from '../config/config-file.ts';
import { hasCode } from '../lib/errors.ts';
import { sleep } from '../lib/sleep.ts';
import type { StatusDocument } from '../status/document.ts';
import { askAgent } from '../status/socket-client.ts';
import { exec } from '../system/exec.ts';
import { isThere } from '../system/files.ts';
import { parseStatus } from './status.ts';

/** Enables and (re)starts the packaged service that runs this configuration; undefined where systemd has none. */
export async function findStart(path: string, { HOME = '/', XDG_RUNTIME_DIR = '' }: NodeJS.ProcessEnv) {
  const isOwn = path === join(HOME, '.config/tributary/tributary.yaml');
  if ((!isOwn && path !== defaultConfigPath) || !(await isThere('/run/systemd/system'))) return undefined;
  const run = (command: 'cat' | 'enable' | 'restart') =>
    exec({
      program: 'systemctl',
      args: [isOwn ? '--user' : '--system', command, 'tributary.service'],
      doing: `starting the service (systemctl ${command} tributary)`,
      env: { XDG_RUNTIME_DIR },
      timeoutMs: 90_000,
    });
  return run('cat').then(
    () => () => run('enable').then(() => run('restart')),
    () => undefined,
  );
}

/** Phases that pass without the owner, once this device is signed in. */
const passing: readonly StatusDocument['phase'][] = ['registering', 'connecting', 'signed-out', 'stopping'];

/** The agent's status once it has settled, or as it is after `limitMs`; undefined where no agent answers by then. */
export async function waitForStatus(socketPaths: readonly string[], limitMs: number, signal: AbortSignal) {
  const untilMs = performance.now() + limitMs;
  for (;;) {
    const status = await askAgent(socketPaths, { method: 'GET', path: '/status.json' })
      .then(parseStatus)
      .catch((error: unknown) => {
        if (!hasCode(error, 'not-running', 'command-failed')) throw error;
      });
    const isPassing = status === undefined || passing.includes(status.phase);
    if (!isPassing || performance.now() >= untilMs || !(await sleep(500, signal))) return status ?? undefined;
  }
}
