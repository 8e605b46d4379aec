import type { Command } from 'commander';
import type { CommandContext, PathOptions } from './context.ts';

interface RunOptions extends PathOptions {
  readonly ownNamespace?: boolean;
  readonly keepFence?: boolean;
}

/** Adds `tributary run`: the agent, until SIGTERM or SIGINT. */
export function registerRun(program: Command, context: CommandContext): void {
  program
    .command('run')
    .description('be the agent: register, hold the tunnel, forward, report; until stopped')
    .option('--own-namespace', "take this network namespace for the agent's own, whatever hardware is in it")
    .option('--keep-fence', 'leave the firewall in place at the end, closed: connections go on after a restart')
    .action(async (_options: RunOptions, command: Command) => {
      const options = command.optsWithGlobals<RunOptions>();
      const { loadConfig } = await import('../config/load.ts');
      const load = () =>
        loadConfig({ configPath: options.config, stateDirectory: options.stateDir, environment: context.environment });
      const loaded = await load();
      if (options.ownNamespace !== true) {
        const { runInside } = await import('../namespace/run-inside.ts');
        const exitCode = await runInside(loaded, process.argv.slice(1), context.environment);
        if (exitCode !== undefined) {
          process.exitCode = exitCode;
          return;
        }
      }
      const { runAgent } = await import('../agent/run-agent.ts');
      const { toSupervision } = await import('../config/supervision.ts');
      await runAgent({
        loaded,
        load,
        supervision: toSupervision(context.environment, process.pid),
        keepsFence: options.keepFence === true,
      });
    });
}
