import type { Command } from 'commander';
import { loadConfig } from '../config/load.ts';
import type { CommandContext, PathOptions } from './context.ts';

/** Adds `tributary namespace up|down`: the agent's network namespace on a host, made and removed as root. */
export function registerNamespace(program: Command, context: CommandContext): void {
  const group = program
    .command('namespace')
    .description("the agent's own network namespace on this host; `run` makes it by itself when started by hand");
  group
    .command('up')
    .description('make it, with its wire to the host and the fence around it; safe to repeat')
    .action(async (_options: PathOptions, command: Command) => {
      const loaded = await load(command, context);
      const { openNamespaceDoors } = await import('../namespace/run-inside.ts');
      const { bringNamespaceUp } = await import('../namespace/up.ts');
      await bringNamespaceUp(await openNamespaceDoors(loaded.stateDirectory), loaded.config.gateway.allow_destinations);
      context.stdout.write('The namespace tributary is up.\n');
    });
  group
    .command('down')
    .description('remove it, and put the host back as it was; safe to repeat')
    .action(async (_options: PathOptions, command: Command) => {
      const { stateDirectory } = await load(command, context);
      const { openNamespaceDoors } = await import('../namespace/run-inside.ts');
      const { takeNamespaceDown } = await import('../namespace/up.ts');
      await takeNamespaceDown(await openNamespaceDoors(stateDirectory));
      context.stdout.write('The namespace tributary is gone.\n');
    });
}

function load(command: Command, context: CommandContext) {
  const options = command.optsWithGlobals<PathOptions>();
  return loadConfig({ configPath: options.config, stateDirectory: options.stateDir, environment: context.environment });
}
