import type { LoadConfigOptions, LoadedConfig } from '../config/load.ts';
import type { CommandContext, PathOptions } from './context.ts';

/** The configuration that a command line names. @throws configuration-invalid */
export async function loadConfig(
  { config, stateDir }: PathOptions,
  { environment }: Pick<CommandContext, 'environment'>,
  knownProblems: LoadConfigOptions['knownProblems'] = [],
): Promise<LoadedConfig> {
  const { loadConfig: load } = await import('../config/load.ts');
  return load({ configPath: config, stateDirectory: stateDir, environment, knownProblems });
}
