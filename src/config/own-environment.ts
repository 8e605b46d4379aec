import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** What programs that we start, and Node's own parts, still find: no variable of ours, and no secret. */
const shared = /^(PATH|HOME|TMPDIR|TZ|LANG|LC_\w+|TERM|COLORTERM|NO_COLOR|FORCE_COLOR)$/;

/** Takes the environment out of the process, whose programs would keep its secrets for as long as they run. */
export function takeEnvironment(processEnvironment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const environment = { ...processEnvironment };
  for (const name of Object.keys(environment)) if (!shared.test(name)) delete processEnvironment[name];
  return environment;
}

/** For a user, not root, with a configuration of their own: it and their own state, unless they name others. */
export function completeEnvironment(environment: NodeJS.ProcessEnv, userId = process.geteuid?.()): NodeJS.ProcessEnv {
  const { HOME: home } = environment;
  if (userId === 0 || !home || environment.TRIBUTARY_CONFIG) return environment;
  const file = join(home, '.config/tributary/tributary.yaml');
  if (!existsSync(file)) return environment;
  // Before the rest: what is named in the environment wins. A unit's state directory is its word too.
  const state = environment.STATE_DIRECTORY ? {} : { TRIBUTARY_STATE_DIR: join(home, '.local/state/tributary') };
  return { ...state, ...environment, TRIBUTARY_CONFIG: file };
}
