import { join, resolve } from 'node:path';
import { type ConfigFileOptions, readConfigFile } from './config-file.ts';
import { readEnvironmentText } from './environment.ts';
import { valueAt } from './tree.ts';

export interface PlacesOptions extends ConfigFileOptions {
  readonly stateDirectory?: string | undefined;
  /** The value of `status.socket`. If it is set, no other socket is tried. */
  readonly socket?: string | undefined;
  /** Who runs this; 0 is root. By default this process's user. */
  readonly userId?: number | undefined;
}

/** Where an agent keeps its state, and where it may answer. */
export interface Places {
  readonly stateDirectory: string;
  /** In order: `run` makes the first one that it can, and commands try one after the other. */
  readonly socketPaths: readonly string[];
  /** The state directory of the one agent that is meant; undefined for any agent that answers. */
  readonly onlyOf: string | undefined;
}

/** The places by options and environment alone, without a configuration file. */
export function choosePlaces(options: PlacesOptions): Places {
  const { environment, configPath, socket } = options;
  const named = options.stateDirectory || environment.TRIBUTARY_STATE_DIR;
  const stateDirectory = resolve(
    named || firstOf(environment.STATE_DIRECTORY) || '/var/lib/tributary',
  );
  const socketPaths =
    socket === undefined ? listSocketPaths(options, stateDirectory, named) : [socket];
  // A configuration that names a socket already says which agent is meant.
  const isOne = named || (socket === undefined && (configPath || environment.TRIBUTARY_CONFIG));
  const onlyOf = isOne ? stateDirectory : undefined;
  return { stateDirectory, socketPaths, onlyOf };
}

/**
 * Where the agent may answer. A configuration with errors is ignored here, because the agent that
 * it stopped reports them.
 */
export async function resolvePlaces(options: PlacesOptions): Promise<Places> {
  const given = await readEnvironmentText(options.environment, 'TRIBUTARY_STATUS_SOCKET');
  const socket = given?.text ?? valueAt((await readConfigFile(options)).tree, ['status', 'socket']);
  return choosePlaces({ ...options, socket: typeof socket === 'string' ? socket : undefined });
}

function listSocketPaths(
  options: PlacesOptions,
  stateDirectory: string,
  named: string | undefined,
): readonly string[] {
  const { environment } = options;
  const runtime = firstOf(environment.RUNTIME_DIRECTORY);
  const session = environment.XDG_RUNTIME_DIR;
  const ofRoot = '/run/tributary/tributary.sock';
  const inState = join(stateDirectory, 'tributary.sock');
  const ofOthers = [...(session ? [join(session, 'tributary', 'tributary.sock')] : []), inState];
  const isRoot = (options.userId ?? process.getuid?.()) === 0;
  // Agents that have a state directory each must not compete for one socket.
  const given = [
    ...(runtime ? [join(runtime, 'tributary.sock')] : []),
    ...(named ? [inState] : []),
  ];
  return [...new Set([...given, ...(isRoot ? [ofRoot, ...ofOthers] : [...ofOthers, ofRoot])])];
}

/** systemd separates several directories by colons. */
function firstOf(directories: string | undefined): string | undefined {
  return directories?.split(':')[0];
}
