import { isAbort, messageOf } from '../lib/errors.ts';
import { defineCommand } from './command.ts';
import type { CommandContext, PathOptions } from './context.ts';

/** `tributary health`: one line, exit code 0 or 1 and no other, whatever is wrong. */
export const health = defineCommand({
  usage: 'health',
  description: 'exit code 0 while the agent is well, 1 when it has not been for a while',
  options: { '--json': 'one JSON object: healthy, message' },
  async act({ options, show }, context) {
    const answer = await askHealth(options, context);
    await show(answer, () => `${answer.healthy ? 'healthy' : 'unhealthy'}: ${answer.message}\n`);
    context.setExitCode(answer.healthy ? 0 : 1);
  },
});

/** An agent that cannot be asked is not well. */
async function askHealth(options: PathOptions, context: CommandContext) {
  const z = await import('zod');
  const { askAgent } = await import('../status/socket-client.ts');
  try {
    const answer = await askAgent(await context.resolveSocketPaths(options), { method: 'GET', path: '/health' });
    return z.object({ healthy: z.boolean(), message: z.string() }).parse(answer);
  } catch (error) {
    if (isAbort(error)) throw error;
    return { healthy: false, message: messageOf(error) };
  }
}
