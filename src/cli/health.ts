import { toPlainJson } from '../lib/plain-text.ts';
import type { LocalCommand } from './command.ts';

/** `tributary health`: one line, exit code 0 or 1 and no other, whatever is wrong. */
export const health: LocalCommand = {
  usage: 'health',
  description: 'exit code 0 while the agent is well, 1 when it has not been for a while',
  options: { '--json': 'one JSON object: healthy, message' },
  async act({ options }, context) {
    const { askHealth } = await import('./ask-health.ts');
    const answer = await askHealth(context, options);
    const line = `${answer.healthy ? 'healthy' : 'unhealthy'}: ${answer.message}`;
    context.stdout.write(`${options.json === true ? toPlainJson(answer) : line}\n`);
    context.setExitCode(answer.healthy ? 0 : 1);
  },
};
