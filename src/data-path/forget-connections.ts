import { consumerMark } from '../gateway/ceiling-rules.ts';
import { toUndefined } from '../lib/errors.ts';
import type { Exec } from '../system/exec.ts';

/** Makes the kernel forget what consumers have open, and nobody else's connections; without `conntrack` they run out in their time. */
export async function forgetConnections(exec: Exec): Promise<void> {
  const forget = (family: 'ipv4' | 'ipv6') => {
    const args = ['-D', '-f', family, '--src-nat', '--mark', `${consumerMark}/0xff000000`];
    // It lists all that it deletes, and fails where that is nothing.
    return exec({ program: 'conntrack', args, doing: 'forgetting connections', isSilent: true }).catch(toUndefined());
  };
  await Promise.all([forget('ipv4'), forget('ipv6')]);
}
