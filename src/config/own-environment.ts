import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/**
 * What programs that we start, and Node's own parts, still find: no variable of ours, and no
 * secret.
 */
const shared = /^(PATH|HOME|TMPDIR|TZ|LANG|LC_\w+|TERM|COLORTERM|NO_COLOR|FORCE_COLOR)$/;

/**
 * Takes the environment out of the process, whose programs would keep its secrets for as long as
 * they run. Folders of PATH that are relative are dropped: what is run must not depend on where we
 * were started.
 */
export function takeEnvironment(processEnvironment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const folders =
    processEnvironment.PATH?.split(delimiter).filter((folder) => isAbsolute(folder)) ?? [];
  // An empty PATH would mean the folder that we are in.
  if (folders.length === 0) delete processEnvironment.PATH;
  else processEnvironment.PATH = folders.join(delimiter);
  const environment = { ...processEnvironment };
  for (const name of Object.keys(environment))
    if (!shared.test(name)) delete processEnvironment[name];
  return environment;
}

/**
 * For a user, not root, with a configuration of their own: it and their own state, unless they name
 * others.
 */
export function completeEnvironment(
  environment: NodeJS.ProcessEnv,
  userId = process.geteuid?.(),
): NodeJS.ProcessEnv {
  const { HOME: home } = environment;
  if (userId === 0 || !home || environment.TRIBUTARY_CONFIG) return environment;
  const file = join(home, '.config/tributary/tributary.yaml');
  if (!existsSync(file)) return environment;
  // Before the rest: what is named in the environment wins. A unit's state directory is its word
  // too.
  const state = environment.STATE_DIRECTORY
    ? {}
    : { TRIBUTARY_STATE_DIR: join(home, '.local/state/tributary') };
  return { ...state, ...environment, TRIBUTARY_CONFIG: file };
}
