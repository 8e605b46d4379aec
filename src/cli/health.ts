import type { Command } from 'commander';
import * as z from 'zod';
import { isAbort, messageOf, TributaryError } from '../lib/errors.ts';
import { askAgent } from '../status/socket-client.ts';
import type { CommandContext, PathOptions } from './context.ts';

const healthAnswer = z.object({ healthy: z.boolean(), message: z.string() });
type HealthAnswer = z.output<typeof healthAnswer>;

/** `tributary health`: one line, exit code 0 or 1 and no other, whatever is wrong. */
export function registerHealth(program: Command, context: CommandContext): void {
  program
    .command('health')
    .description('exit code 0 while the agent is well, 1 when it has not been for a while')
    .option('--json', 'one JSON object: healthy, message')
    .action(async (options: { json?: boolean }, command: Command) => {
      const health = await askHealth(context, command.optsWithGlobals<PathOptions>());
      const line = `${health.healthy ? 'healthy' : 'unhealthy'}: ${health.message}`;
      context.stdout.write(`${options.json === true ? JSON.stringify(health) : line}\n`);
      context.setExitCode(health.healthy ? 0 : 1);
    });
}

async function askHealth(context: CommandContext, options: PathOptions): Promise<HealthAnswer> {
  try {
    return healthAnswer.parse(
      await askAgent(await context.resolveSocketPaths(options), { method: 'GET', path: '/health' }),
    );
  } catch (error) {
    if (isAbort(error)) throw error;
    return { healthy: false, message: error instanceof TributaryError ? error.message : messageOf(error) };
  }
}
