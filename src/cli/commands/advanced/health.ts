import { messageOf, TributaryError } from '../../../errors/codes.ts';
import { defineCommand } from '../../frame/command.ts';

/** `tributary health` prints one line and exits with 0 or 1, whatever is wrong. */
export const health = defineCommand({
  usage: 'health',
  description: 'exit with 0 while the agent is healthy, 1 after it has been unhealthy for a while',
  options: { '--json': 'one JSON object: healthy, message' },
  examples: { 'tributary health': "for a container's health check, or a script" },
  async act({ options, show }, context) {
    const { askAgent } = await import('../../../status/socket-client.ts');
    const ask = async () => {
      const told = await askAgent(await context.resolvePlaces(options), {
        method: 'GET',
        path: '/health',
      });
      // The answer is not checked against a schema, which would take time every minute.
      const { healthy, message }: { readonly healthy?: unknown; readonly message?: unknown } =
        Object(told);
      if (typeof healthy === 'boolean' && typeof message === 'string') return { healthy, message };
      throw new TributaryError(
        'command-failed',
        'its answer is not as expected; is it another version?',
      );
    };
    // An agent that cannot be asked counts as unhealthy.
    const answer = await ask().catch((error: unknown) => ({
      healthy: false,
      message: messageOf(error),
    }));
    await show(answer, (told) => `${told.healthy ? 'healthy' : 'unhealthy'}: ${told.message}\n`);
    context.setExitCode(answer.healthy ? 0 : 1);
  },
});
