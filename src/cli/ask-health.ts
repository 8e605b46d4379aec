import * as z from 'zod';
import { isAbort, messageOf } from '../lib/errors.ts';
import { askAgent } from '../status/socket-client.ts';
import type { CommandContext, PathOptions } from './context.ts';

const healthAnswer = z.object({ healthy: z.boolean(), message: z.string() });

/** Whether the agent is well; an agent that cannot be asked is not. */
export async function askHealth(context: CommandContext, options: PathOptions): Promise<z.output<typeof healthAnswer>> {
  try {
    return healthAnswer.parse(
      await askAgent(await context.resolveSocketPaths(options), { method: 'GET', path: '/health' }),
    );
  } catch (error) {
    if (isAbort(error)) throw error;
    return { healthy: false, message: messageOf(error) };
  }
}
