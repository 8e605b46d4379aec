import type { Command } from 'commander';
import { choosePlaces } from '../config/places.ts';
import type { CleanUpOptions } from '../data-path/clean-up.ts';
import { hasCode } from '../lib/errors.ts';
import type { CommandContext, PathOptions } from './context.ts';

/** Adds `tributary cleanup`: removes whatever an agent that was killed left behind. */
export function registerCleanup(program: Command, context: CommandContext): void {
  program
    .command('cleanup')
    .description('remove what a killed agent left: firewall, routes, interface, settings, namespace; safe to repeat')
    .option('--own-namespace', "take this network namespace for the agent's own, whatever hardware is in it")
    .action(async (_options: PathOptions, command: Command) => {
      const options = command.optsWithGlobals<PathOptions & { readonly ownNamespace?: boolean }>();
      const { cleanUp } = await import('../data-path/clean-up.ts');
      const { stateDirectory } = choosePlaces({ environment: context.environment, stateDirectory: options.stateDir });
      await cleanUp({
        stateDirectory,
        ...(await findSettings(options, context)),
        isOwnNamespace: options.ownNamespace === true,
      });
      await removeSockets(options, context);
      context.stdout.write('Nothing of the agent is left here.\n');
    });
}

/** Where nobody answers any more: another agent's stays, and what this user may not remove. */
async function removeSockets(options: PathOptions, { environment }: CommandContext): Promise<void> {
  const { resolveSocketPaths } = await import('../config/socket-paths.ts');
  const { clearStaleSocket } = await import('../status/stale-socket.ts');
  const places = { configPath: options.config, stateDirectory: options.stateDir, environment };
  for (const path of await resolveSocketPaths(places)) await clearStaleSocket(path).catch(() => undefined);
}

/** A configuration that is broken or gone must not keep anybody from cleaning up. */
async function findSettings(
  options: PathOptions,
  context: CommandContext,
): Promise<Pick<CleanUpOptions, 'tunnelInterface' | 'limits'>> {
  const { loadConfig } = await import('../config/load.ts');
  try {
    const { config } = await loadConfig({ configPath: options.config, environment: context.environment });
    return { tunnelInterface: config.tunnel.interface, limits: config.provide };
  } catch (error) {
    if (!hasCode(error, 'configuration-invalid')) throw error;
    const { configSchema } = await import('../config/schema.ts');
    const { tunnel, provide } = configSchema.shape;
    return { tunnelInterface: tunnel.parse({}).interface, limits: provide.parse({}) };
  }
}
