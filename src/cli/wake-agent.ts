import { hasCode } from '../lib/errors.ts';

/** An agent that waits for a sign-in goes on at once; where none runs there is nothing to wake. */
export async function wakeAgent(socketPaths: readonly string[]): Promise<void> {
  const { askAgent } = await import('../status/socket-client.ts');
  try {
    await askAgent(socketPaths, { method: 'POST', path: '/reload' });
  } catch (error) {
    if (!hasCode(error, 'not-running', 'configuration-invalid', 'not-allowed', 'command-failed')) throw error;
  }
}
