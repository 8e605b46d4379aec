import { defaultConfigPath } from '../../../config/config-file.ts';
import { toUndefined } from '../../../errors/codes.ts';
import { phaseTraits } from '../../../health/phase-traits.ts';
import { toPlainValue } from '../../../lib/plain-text.ts';
import { sleep } from '../../../lib/sleep.ts';
import { askAgent, type Listening } from '../../../status/socket-client.ts';
import { exec } from '../../../system/exec.ts';
import { isThere } from '../../../system/files.ts';
import { parseStatus } from '../everyday/status.ts';

/**
 * Enables and starts or restarts the packaged service of this configuration; undefined if systemd
 * has no such service.
 */
export async function findStart(path: string) {
  if (path !== defaultConfigPath || !(await isThere('/run/systemd/system'))) return undefined;
  const ofService = {
    program: 'systemctl',
    doing: 'starting tributary.service',
    timeoutMs: 90_000,
  };
  const run = async (...commands: readonly string[]) => {
    for (const command of commands)
      await exec({ ...ofService, args: [command, 'tributary.service'] });
  };
  return run('cat').then(
    // If the units had just started without a configured service, systemd skips the restart with
    // them. Then a start is needed.
    () => () => run('enable', 'restart', 'start'),
    () => undefined,
  );
}

/**
 * The agent's status once it is more than starting, or its status after `limitMs`; undefined if no
 * agent answers by then.
 */
export async function waitForStatus(places: Listening, limitMs: number, signal: AbortSignal) {
  const untilMs = performance.now() + limitMs;
  for (;;) {
    const asked = askAgent(places, { method: 'GET', path: '/status.json' });
    const answer = await asked.catch(toUndefined('not-running', 'command-failed'));
    const status = answer === undefined ? undefined : await parseStatus(toPlainValue(answer));
    const isSettled = status && (phaseTraits[status.phase].isWell || status.phase === 'blocked');
    if (isSettled || performance.now() >= untilMs || !(await sleep(500, signal))) return status;
  }
}
