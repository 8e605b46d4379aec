import { choosePlaces } from '../config/places.ts';
import type { CleanUpOptions } from '../data-path/clean-up.ts';
import { hasCode } from '../lib/errors.ts';
import type { LocalCommand } from './command.ts';
import type { CommandContext, PathOptions } from './context.ts';
import { loadConfig } from './load-config.ts';
import type { OptionValues } from './option-values.ts';

const flags = { '--own-namespace': 'use the current network namespace, even if it contains physical interfaces' };

/** `tributary cleanup`: removes whatever an agent that was killed left behind. */
export const cleanup: LocalCommand<OptionValues<typeof flags>> = {
  usage: 'cleanup',
  description: 'remove what a killed agent left: firewall, routes, interface, settings, namespace; safe to repeat',
  options: flags,
  async act({ options }, context) {
    const { cleanUp } = await import('../data-path/clean-up.ts');
    const { stateDirectory } = choosePlaces({ environment: context.environment, stateDirectory: options.stateDir });
    const isOwnNamespace = options.ownNamespace === true;
    const { exec } = await import('../system/exec.ts');
    await cleanUp({
      exec,
      stateDirectory,
      ...(await findSettings(options, context)),
      isOwnNamespace,
      onSetAside: (path, keptAs, why) =>
        void context.stderr.write(`tributary: ${path} was set aside as ${keptAs}: ${why}\n`),
    });
    await removeSockets(options, context);
    context.stdout.write('Nothing of the agent is left here.\n');
  },
};

/** Sockets that no agent answers on. One that is in use stays, and one that this user may not remove. */
async function removeSockets(options: PathOptions, { environment }: CommandContext): Promise<void> {
  const { resolveSocketPaths } = await import('../config/socket-paths.ts');
  const { clearStaleSocket } = await import('../status/stale-socket.ts');
  const places = { configPath: options.config, stateDirectory: options.stateDir, environment };
  for (const path of await resolveSocketPaths(places)) await clearStaleSocket(path).catch(() => undefined);
}

/** A configuration that is broken or gone must not prevent a clean-up. */
async function findSettings(
  options: PathOptions,
  context: CommandContext,
): Promise<Pick<CleanUpOptions, 'tunnelInterface' | 'limits'>> {
  try {
    const { config } = await loadConfig(options, context);
    return { tunnelInterface: config.tunnel.interface, limits: config.provide };
  } catch (error) {
    if (!hasCode(error, 'configuration-invalid')) throw error;
    const { configSchema } = await import('../config/schema.ts');
    const { tunnel, provide } = configSchema.shape;
    return { tunnelInterface: tunnel.parse({}).interface, limits: provide.parse({}) };
  }
}
