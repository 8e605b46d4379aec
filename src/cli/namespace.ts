import type { Command } from 'commander';
import { type Places, toPlaces } from '../config/places.ts';
import type { WaysOut } from '../config/recipients.ts';
import { hasCode } from '../lib/errors.ts';
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
      const { stateDirectory } = findPlaces(command, context);
      const waysOut = await readWaysOut(command, context);
      const { openNamespaceDoors } = await import('../namespace/run-inside.ts');
      const { bringNamespaceUp } = await import('../namespace/up.ts');
      const doors = await openNamespaceDoors(stateDirectory);
      const uplink = await bringNamespaceUp(doors, waysOut);
      context.stdout.write(
        uplink === undefined
          ? 'The namespace tributary is up, and closed: this host has no default route yet. Repeat this when it has one.\n'
          : `The namespace tributary is up; it leads out by ${uplink}.\n`,
      );
    });
  group
    .command('down')
    .description('remove it, and put the host back as it was; safe to repeat')
    .action(async (_options: PathOptions, command: Command) => {
      const { stateDirectory } = findPlaces(command, context);
      const { openNamespaceDoors } = await import('../namespace/run-inside.ts');
      const { takeNamespaceDown } = await import('../namespace/up.ts');
      await takeNamespaceDown(await openNamespaceDoors(stateDirectory));
      context.stdout.write('The namespace tributary is gone.\n');
    });
}

/** What is made has to be removed whatever has become of the configuration meanwhile: its place does not depend on it. */
function findPlaces(command: Command, { environment }: CommandContext): Places {
  const { stateDir } = command.optsWithGlobals<PathOptions>();
  return toPlaces({ environment, stateDirectory: stateDir });
}

/** With a configuration that is refused the namespace is as closed as it can be; `run` in it says what is wrong. */
async function readWaysOut(command: Command, context: CommandContext): Promise<WaysOut> {
  const { config, stateDir } = command.optsWithGlobals<PathOptions>();
  const { environment } = context;
  try {
    const { loadConfig } = await import('../config/load.ts');
    const loaded = await loadConfig({ configPath: config, stateDirectory: stateDir, environment });
    return loaded.waysOut;
  } catch (error) {
    if (!hasCode(error, 'configuration-invalid')) throw error;
    context.stderr.write('tributary: the configuration is refused, so nothing in it counts here\n');
    return { allowDestinations: [], recipients: [] };
  }
}
