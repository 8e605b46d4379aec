import { isAbort } from '../../lib/errors.ts';
import { sleep } from '../../lib/sleep.ts';
import type { Wakeup } from '../../lib/wakeup.ts';
import type { Heartbeats } from '../heartbeats.ts';

/** A loop: ticks until the signal aborts, waiting in between; a tick says in how many ms the next is due. */
export interface Loop {
  readonly name: string;
  readonly tick: (signal: AbortSignal) => Promise<number>;
  /** Ends the wait early; undefined: it waits its time. */
  readonly wakeup?: Wakeup | undefined;
  /** Counted by `/livez` when given. */
  readonly maxSilenceMs?: number | undefined;
}

/** Runs it to its end. A tick's own failures are its own to handle; what it throws is a bug and ends the agent. */
export async function runLoop(loop: Loop, signal: AbortSignal, heartbeats?: Heartbeats): Promise<void> {
  const { name, tick, wakeup, maxSilenceMs } = loop;
  const beat = maxSilenceMs === undefined ? undefined : heartbeats?.register(name, maxSilenceMs);
  while (!signal.aborted) {
    beat?.();
    let waitMs: number;
    try {
      waitMs = await tick(signal);
    } catch (error) {
      if (isAbort(error) && signal.aborted) return;
      throw error;
    }
    beat?.();
    await (wakeup === undefined ? sleep(waitMs, signal) : wakeup.wait(waitMs, signal));
  }
}
