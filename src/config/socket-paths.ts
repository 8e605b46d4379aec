import { type ConfigFileOptions, readConfigFile } from './config-file.ts';
import { readEnvironmentText } from './environment.ts';
import { choosePlaces, type PlacesOptions } from './places.ts';
import { valueAt } from './tree.ts';

/**
 * Sockets where a running agent may answer, likeliest first. A configuration that is broken, or that this user may not
 * read, is passed over: the agent that it stopped still has to say so.
 */
export async function resolveSocketPaths(options: ConfigFileOptions & PlacesOptions): Promise<readonly string[]> {
  const given = await readEnvironmentText(options.environment, 'TRIBUTARY_STATUS_SOCKET');
  const fromEnvironment = given !== undefined && 'text' in given ? given.text : undefined;
  const socket = fromEnvironment ?? valueAt((await readConfigFile(options)).tree, ['status', 'socket']);
  return choosePlaces({ ...options, socket: typeof socket === 'string' ? socket : undefined }).socketPaths;
}
