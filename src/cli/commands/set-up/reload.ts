import { realpath } from 'node:fs/promises';
import { toFailure } from '../../../errors/codes.ts';
import type { Listening } from '../../../status/socket-client.ts';
import { defineCommand, refuse } from '../../frame/command.ts';

export const reload = defineCommand({
  usage: 'reload',
  description: 'make the agent reload its configuration, without interrupting traffic',
  options: { '--json': 'one JSON object' },
  examples: { 'sudo tributary reload': 'after you edited the configuration file' },
  async act({ options, show }, context) {
    await reloadAgent(await context.resolvePlaces(options), options.config);
    await show({ reloaded: true }, () => 'The agent loaded the new configuration.\n');
  },
});

/**
 * Makes the agent read its configuration again.
 * @throws not-running, not-allowed, command-failed, usage-invalid (it reads another file),
 * configuration-invalid (it goes on as before)
 */
export async function reloadAgent(places: Listening, file?: string): Promise<void> {
  const { askAgent } = await import('../../../status/socket-client.ts');
  // An agent that reads another file is left alone, so it is asked first.
  const said =
    file === undefined ? {} : await askAgent(places, { method: 'GET', path: '/configuration' });
  const { file: own = file }: { file?: string } = Object(said);
  const [read, meant] = await Promise.all(
    [own, file].map((path = '') => realpath(path).catch(() => path)),
  );
  if (read !== meant) throw refuse(`the running agent reads ${own}, not ${file}`);
  await askAgent(places, { method: 'POST', path: '/reload' });
}

/** Makes an agent that waits for a sign-in go on at once; true if one is running. */
export async function wakeAgent(places: Listening): Promise<boolean> {
  const expected = toFailure(
    'not-running',
    'configuration-invalid',
    'not-allowed',
    'command-failed',
  );
  return (await reloadAgent(places).catch(expected))?.code !== 'not-running';
}
