import { createFlow } from './flow.ts';

export const calm = { loss: 0, duplication: 0, delay: 5, jitter: 0 } as const;

/** What a download came to. */
export interface Download {
  readonly sentBytes: number;
  readonly paidBytes: number;
  /** Everything that was sent arrived. */
  readonly isWhole: boolean;
  /** In ms. */
  readonly longestSilence: number;
  readonly identities: number;
  /** New contracts that the consumer's signals brought, and times of which answers waited. */
  readonly bySignal: number;
  readonly holes: number;
}

/** So many ms of a download at a megabyte a second, by an app in direct mode. */
export function download(ms: number): Download {
  const flow = createFlow({
    nature: calm,
    seed: 1,
    isDirect: true,
    downPerSecond: 1000,
    downBytes: 1000,
    upPerSecond: 0,
    upBytes: 60,
    hasAcks: true,
    tick: 10,
  });
  flow.run(ms);
  const { sent, received, sentBytes, paidBytes } = flow.down;
  const { bySignal, holes } = flow.world.engine.counters().renewals;
  return {
    sentBytes,
    paidBytes,
    isWhole: sent === received,
    longestSilence: flow.longestSilence(),
    identities: flow.identities(),
    bySignal,
    holes,
  };
}
