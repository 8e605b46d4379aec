import { choosePlaces, resolvePlaces } from '../../../config/places.ts';
import { toUndefined } from '../../../errors/codes.ts';
import { defineCommand } from '../../frame/command.ts';
import { type CommandContext, loadConfig, type PathOptions } from '../../frame/context.ts';

export const cleanup = defineCommand({
  usage: 'cleanup',
  description:
    'remove what a killed agent left: firewall, routes, interface, settings, namespace; safe to repeat',
  examples: { 'sudo tributary cleanup': 'after the agent crashed or was killed' },
  options: {
    '--own-namespace': 'use the current network namespace, even if it contains physical interfaces',
  },
  async act({ options }, context) {
    const { cleanUp } = await import('../../../data-path/clean-up.ts');
    const { toReadersPath } = await import('../../../status/readers-socket.ts');
    const { clearStaleSocket } = await import('../../../status/stale-socket.ts');
    const { exec } = await import('../../../system/exec.ts');
    const { sayOnSetAside } = await import('../../../system/state-file.ts');
    const { environment, stderr, stdout } = context;
    const places = { configPath: options.config, stateDirectory: options.stateDir, environment };
    const { createDrivers } = await import('../../../source/drivers.ts');
    const { stateDirectory } = choosePlaces(places);
    const settings = await findSettings(options, context);
    await cleanUp({
      exec,
      stateDirectory,
      sources: createDrivers({ exec, stateDirectory }, settings),
      limits: settings.provide,
      uplink: settings.gateway.uplink,
      isOwnNamespace: options.ownNamespace === true,
      onSetAside: sayOnSetAside(stderr),
    });
    // Sockets at which no agent answers are removed. A socket in use stays, and so does one that
    // this user may not remove.
    const { socketPaths } = await resolvePlaces(places);
    for (const path of socketPaths.flatMap((own) => [own, toReadersPath(own)]))
      await clearStaleSocket(path).catch(() => undefined);
    stdout.write('Nothing of the agent is left here.\n');
  },
});

/**
 * The settings, with defaults in place of a broken or missing configuration, which must not prevent
 * a clean-up.
 */
async function findSettings(options: PathOptions, context: CommandContext) {
  const { configSchema } = await import('../../../config/schema.ts');
  const { tunnel, connect, provide } = configSchema.shape;
  const loaded = await loadConfig(options, context).catch(toUndefined('configuration-invalid'));
  return (
    loaded?.config ?? {
      tunnel: tunnel.parse({}),
      connect: connect.parse({}),
      provide: provide.parse({}),
      gateway: { uplink: undefined },
    }
  );
}
