import { onTestFinished } from 'vitest';
import { type Loop, runLoop } from '../../src/agent/run-loop.ts';
import type { NotifierParts } from '../../src/agent/tell/notifiers.ts';

/** An agent whose mode nobody sets, and whose figures are always fresh, as notifiers see it. */
export const uncommanded: Pick<NotifierParts, 'overrides' | 'sample' | 'enforce' | 'noteDelivery'> =
  {
    overrides: {
      load: async () => undefined,
      current: () => undefined,
      set: async () => undefined,
      clear: async () => undefined,
    },
    sample: async () => undefined,
    enforce: async () => undefined,
    noteDelivery: () => undefined,
  };

/** Runs loops until they are ended, at the latest with the test. */
export function runLoops(loops: readonly Loop[]): () => Promise<void> {
  const stop = new AbortController();
  const running = loops.map((loop) => runLoop(loop, stop.signal));
  const end = async () => {
    stop.abort();
    await Promise.all(running);
  };
  onTestFinished(end);
  return end;
}
