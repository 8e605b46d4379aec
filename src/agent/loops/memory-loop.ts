/** Starting leaves most of the garbage behind: soon after it, once; then seldom, for what the ticks leave. */
const afterStartMs = 10_000;
const everyMs = 900_000;

/** One tick gives memory back, but for the first, which waits until the start is over. */
export function createMemoryTick(giveBack: () => void): () => Promise<number> {
  let isStarting = true;
  return async () => {
    if (!isStarting) giveBack();
    const waitMs = isStarting ? afterStartMs : everyMs;
    isStarting = false;
    return waitMs;
  };
}
