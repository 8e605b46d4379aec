import { hasCode } from '../errors/codes.ts';
import type { Exec } from '../system/exec.ts';

/**
 * Removes the namespace's connections that left the host untranslated, in a moment without its
 * table. Their answers never come back, and a sender that never pauses, such as the tunnel, would
 * keep them for ever. Without the program `conntrack` they stay.
 */
export async function removeUntranslated(exec: Exec, namespaceAddress: string): Promise<void> {
  // What is untranslated is answered at the address that it came from.
  const args = ['-D', '-f', 'ipv4', '-s', namespaceAddress, '-q', namespaceAddress];
  const doing = 'removing connections that left untranslated';
  await exec({ program: 'conntrack', args, doing }).catch((error: unknown) => {
    // It fails where there were none, too.
    if (!hasCode(error, 'command-failed') && !hasCode(error, 'missing-program')) throw error;
  });
}
