import { hostname } from 'node:os';
import { completeEnvironment } from '../config/own-environment.ts';
import { type KeyChange, setConfigKeys } from '../config/set-key.ts';
import { hasCode, messageOf } from '../lib/errors.ts';
import type { Secret } from '../lib/secret.ts';
import type { CommandContext, PathOptions, Prompt } from './context.ts';
import { loadConfig } from './load-config.ts';
import { refuse } from './refuse.ts';
import { findStart, waitForStatus } from './setup-start.ts';
import { signInOnce } from './sign-in-once.ts';
import { wakeAgent } from './wake-agent.ts';

const settledWithinMs = 60_000;

export interface SetupPlan {
  readonly path: string;
  readonly changes: readonly KeyChange[];
  /** Undefined: the sign-in that there is stays. */
  readonly code: Secret | undefined;
  /** Asked for another code where one is refused. */
  readonly prompt: Prompt | undefined;
  readonly options: PathOptions;
}

/** Writes, starts, signs in and waits; stopped on the way, it says what is written. @throws codes of `signInOnce`, state-unwritable */
export async function finishSetup({ path, changes, code, prompt, options }: SetupPlan, context: CommandContext) {
  const say = (line: string) => void context.stderr.write(`${line}\n`);
  let done = 'nothing was changed';
  const stop = () => {
    say(`tributary: stopped; ${done}`);
    process.exit(130);
  };
  process.once('SIGINT', stop);
  try {
    await setConfigKeys(path, changes);
    if (changes.length > 0)
      done = `${path} is written, this device is not signed in: tributary setup goes on from there`;
    const environment = await completeEnvironment(context.environment);
    const { config, socketPaths, ...loaded } = await loadConfig(options, { environment });
    const start = await findStart(path, environment);
    // Before the sign-in: systemd makes the state directory, for the user that the agent runs as.
    if (changes.length > 0 || code !== undefined) await start?.().catch((error: unknown) => say(messageOf(error)));
    for (let next = code; next !== undefined; ) {
      next =
        (await signInOnce({ config, socketPaths, ...loaded }, next, 'same-device').catch((error: unknown) => {
          if (prompt === undefined || !hasCode(error, 'auth-code-refused')) throw error;
          say(messageOf(error));
          return prompt.askSecret('Another auth code');
        })) ?? undefined;
    }
    done = 'everything is written, and this device is signed in';
    await wakeAgent(socketPaths);
    const waitMs = start === undefined ? 0 : settledWithinMs;
    const status = await waitForStatus(socketPaths, waitMs, new AbortController().signal);
    const { listen } = config.status;
    const page = listen.endsWith(':0') ? null : `http://${listen.replace(/^(0\.0\.0\.0|\[::\])(?=:)/, hostname())}`;
    return { status, page, isPackaged: start !== undefined };
  } catch (error) {
    if (done === 'nothing was changed') throw error;
    if (hasCode(error, 'usage-invalid')) throw refuse(`stopped; ${done}`);
    say(`tributary: ${done}`);
    throw error;
  } finally {
    process.off('SIGINT', stop);
  }
}
