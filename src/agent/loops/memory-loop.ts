/** Starting leaves most of the garbage behind: soon after it, once; then seldom, for what the rounds leave. */
const afterStartMs = 10_000;
const everyMs = 900_000;

/** One round gives memory back, but for the first, which waits until the start is over. */
export function createMemoryRound(giveBack: () => void): () => Promise<number> {
  let isStarting = true;
  return async () => {
    if (!isStarting) giveBack();
    const waitMs = isStarting ? afterStartMs : everyMs;
    isStarting = false;
    return waitMs;
  };
}
