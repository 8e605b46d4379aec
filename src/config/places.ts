import { join, resolve } from 'node:path';
import { type ConfigFileOptions, readConfigFile } from './config-file.ts';
import { readEnvironmentText } from './environment.ts';
import { valueAt } from './tree.ts';

export interface PlacesOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly stateDirectory?: string | undefined;
  /** `status.socket`: then no other is looked at. */
  readonly socket?: string | undefined;
  /** Who runs this; 0 is root. Default: this process's user. */
  readonly userId?: number | undefined;
}

/** State and sockets, known without a configuration file; `run` makes the first socket it can, commands ask in turn. */
export function choosePlaces(options: PlacesOptions) {
  const { environment } = options;
  const named = options.stateDirectory || environment.TRIBUTARY_STATE_DIR || firstOf(environment.STATE_DIRECTORY);
  const stateDirectory = resolve(named || '/var/lib/tributary');
  return { stateDirectory, socketPaths: listSocketPaths(options, stateDirectory) };
}

/** Where an agent may answer, likeliest first. A bad configuration is passed over: the agent it stopped says so. */
export async function resolveSocketPaths(options: ConfigFileOptions & PlacesOptions): Promise<readonly string[]> {
  const given = await readEnvironmentText(options.environment, 'TRIBUTARY_STATUS_SOCKET');
  const fromEnvironment = given !== undefined && 'text' in given ? given.text : undefined;
  const socket = fromEnvironment ?? valueAt((await readConfigFile(options)).tree, ['status', 'socket']);
  return choosePlaces({ ...options, socket: typeof socket === 'string' ? socket : undefined }).socketPaths;
}

function listSocketPaths(options: PlacesOptions, stateDirectory: string): readonly string[] {
  if (options.socket !== undefined) return [options.socket];
  const { environment } = options;
  const runtime = firstOf(environment.RUNTIME_DIRECTORY);
  const session = environment.XDG_RUNTIME_DIR;
  const ofRoot = '/run/tributary/tributary.sock';
  const ofOthers = [
    ...(session ? [join(session, 'tributary', 'tributary.sock')] : []),
    join(stateDirectory, 'tributary.sock'),
  ];
  const isRoot = (options.userId ?? process.getuid?.()) === 0;
  const given = runtime ? [join(runtime, 'tributary.sock')] : [];
  return [...new Set([...given, ...(isRoot ? [ofRoot, ...ofOthers] : [...ofOthers, ofRoot])])];
}

/** systemd separates several directories by colons. */
function firstOf(directories: string | undefined): string | undefined {
  return directories?.split(':')[0];
}
