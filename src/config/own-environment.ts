import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/**
 * Variables that programs started by us, and Node itself, still see: none of ours, and no secret.
 */
const shared = /^(PATH|HOME|TMPDIR|TZ|LANG|LC_\w+|TERM|COLORTERM|NO_COLOR|FORCE_COLOR)$/;

/**
 * Takes the environment out of the process: programs that it starts would otherwise hold its
 * secrets for as long as they run. Relative folders of PATH are dropped, because what is run must
 * not depend on the current folder.
 */
export function takeEnvironment(processEnvironment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const folders =
    processEnvironment.PATH?.split(delimiter).filter((folder) => isAbsolute(folder)) ?? [];
  // An empty PATH would mean the current folder.
  if (folders.length === 0) delete processEnvironment.PATH;
  else processEnvironment.PATH = folders.join(delimiter);
  const environment = { ...processEnvironment };
  for (const name of Object.keys(environment))
    if (!shared.test(name)) delete processEnvironment[name];
  return environment;
}

/**
 * For a user other than root who has a configuration file: that file and the user's own state
 * directory, unless others are named.
 */
export function completeEnvironment(
  environment: NodeJS.ProcessEnv,
  userId = process.geteuid?.(),
): NodeJS.ProcessEnv {
  const { HOME: home } = environment;
  if (userId === 0 || !home || environment.TRIBUTARY_CONFIG) return environment;
  const file = join(home, '.config/tributary/tributary.yaml');
  if (!existsSync(file)) return environment;
  // The environment wins over these. A state directory that a unit sets counts as named too.
  const state = environment.STATE_DIRECTORY
    ? {}
    : { TRIBUTARY_STATE_DIR: join(home, '.local/state/tributary') };
  return { ...state, ...environment, TRIBUTARY_CONFIG: file };
}
