import type { Command } from 'commander';
import type { CommandContext, PathOptions } from './context.ts';

/** `tributary health`: one line, exit code 0 or 1 and no other, whatever is wrong. */
export function registerHealth(program: Command, context: CommandContext): void {
  program
    .command('health')
    .description('exit code 0 while the agent is well, 1 when it has not been for a while')
    .option('--json', 'one JSON object: healthy, message')
    .action(async (options: { json?: boolean }, command: Command) => {
      const { askHealth } = await import('./ask-health.ts');
      const health = await askHealth(context, command.optsWithGlobals<PathOptions>());
      const line = `${health.healthy ? 'healthy' : 'unhealthy'}: ${health.message}`;
      context.stdout.write(`${options.json === true ? JSON.stringify(health) : line}\n`);
      context.setExitCode(health.healthy ? 0 : 1);
    });
}
