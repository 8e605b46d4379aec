import { toUndefined } from '../lib/errors.ts';
import type { AgentPlaces } from './context.ts';

/** An agent that waits for a sign-in goes on at once; where none runs there is nothing to wake. */
export async function wakeAgent(places: AgentPlaces): Promise<void> {
  const { askAgent } = await import('../status/socket-client.ts');
  const expected = toUndefined('not-running', 'configuration-invalid', 'not-allowed', 'command-failed');
  await askAgent(places, { method: 'POST', path: '/reload' }).catch(expected);
}
