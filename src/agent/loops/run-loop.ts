import { isAbort } from '../../lib/errors.ts';
import type { Wake } from '../../lib/wake.ts';

/** A loop: rounds until the signal aborts, waiting in between; a round says in how many ms the next is due. */
export interface Loop {
  readonly wake: Wake;
  readonly round: (signal: AbortSignal) => Promise<number>;
  readonly beat: () => void;
}

/** Runs it to its end. A round's own failures are its own to handle; what it throws is a bug and ends the agent. */
export async function runLoop(loop: Loop, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    loop.beat();
    let waitMs: number;
    try {
      waitMs = await loop.round(signal);
    } catch (error) {
      if (isAbort(error) && signal.aborted) return;
      throw error;
    }
    loop.beat();
    await loop.wake.wait(waitMs, signal);
  }
}
