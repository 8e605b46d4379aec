import { messageOf } from '../lib/errors.ts';
import { sleep } from '../lib/sleep.ts';
import type { Backend } from './backend.ts';

/**
 * Brings the WireGuard end in line with the database every second, and the usage book up to date
 * every five.
 */
export function startUpkeep({
  reconcile,
  sample,
  warn,
}: Pick<Backend, 'reconcile' | 'sample' | 'warn'>): () => Promise<void> {
  const stop = new AbortController();
  const complain = (error: unknown) => warn(`noting what was used: ${messageOf(error)}`);
  async function keepUp(): Promise<void> {
    for (let seconds = 1; await sleep(1000, stop.signal); seconds += 1) {
      await (seconds % 5 === 0 ? sample() : reconcile()).catch(complain);
    }
  }
  const upkeep = keepUp();
  return () => {
    stop.abort();
    return upkeep;
  };
}
