/**
 * Asks when it is first wanted, and only once: every caller has the same promise. Where asking
 * failed, the next caller asks again.
 */
export function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => {
    answer ??= ask().catch((error: unknown) => {
      answer = undefined;
      throw error;
    });
    return answer;
  };
}
