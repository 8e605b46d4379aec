import type { SelfTest } from '../../data-path/self-test.ts';

/** A probe that is not refused closes the gateway in the kernel, so this is the longest that a hole stays open. */
const everyMs = 8_000;

/** Tries the fence again and again; what the kernel counts is judged by the passes of the data path. */
export function createSelfTestTick(selfTest: Pick<SelfTest, 'send'>): () => Promise<number> {
  return async () => {
    await selfTest.send();
    return everyMs;
  };
}
