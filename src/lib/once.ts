/**
 * Asks when it is first wanted, and only once: every caller has the same promise, also one that
 * failed.
 */
export function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => {
    answer ??= ask();
    return answer;
  };
}

/**
 * As `once`, but where asking failed, the next caller asks again: for what a later try may find,
 * such as a part of the program that an upgrade is about to put in place.
 */
export function untilFound<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => {
    answer ??= ask().catch((error: unknown) => {
      answer = undefined;
      throw error;
    });
    return answer;
  };
}
