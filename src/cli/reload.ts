import { toFailure } from '../lib/errors.ts';
import { defineCommand } from './command.ts';
import type { AgentPlaces } from './context.ts';

export const reload = defineCommand({
  usage: 'reload',
  description: 'make the agent reload its configuration, without interrupting traffic',
  options: { '--json': 'one JSON object' },
  examples: { 'sudo tributary reload': 'after you edited the configuration file' },
  async act({ options, show }, context) {
    await reloadAgent(await context.resolvePlaces(options));
    await show({ reloaded: true }, () => 'The agent loaded the new configuration.\n');
  },
});

/** @throws not-running, not-allowed, command-failed; configuration-invalid where the agent goes on with the one before */
export async function reloadAgent(places: AgentPlaces): Promise<void> {
  const { askAgent } = await import('../status/socket-client.ts');
  await askAgent(places, { method: 'POST', path: '/reload' });
}

/** An agent that waits for a sign-in goes on at once; true where one runs. */
export async function wakeAgent(places: AgentPlaces): Promise<boolean> {
  const expected = toFailure('not-running', 'configuration-invalid', 'not-allowed', 'command-failed');
  const failure = await reloadAgent(places).catch(expected);
  return failure?.code !== 'not-running';
}
