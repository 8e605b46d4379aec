/** Which loops still go round; `/livez` and the watchdog ask it. */
export type Heartbeats = ReturnType<typeof createHeartbeats>;

/** @param nowMs a monotonic clock in ms, such as `() => performance.now()` */
export function createHeartbeats(nowMs: () => number) {
  const loops = new Map<string, { lastMs: number; readonly maxSilenceMs: number }>();
  return {
    /** Announces a loop that goes round at least once in `maxSilenceMs`; call the result on every tick. */
    register(loop: string, maxSilenceMs: number): () => void {
      const entry = { lastMs: nowMs(), maxSilenceMs };
      loops.set(loop, entry);
      return () => {
        entry.lastMs = nowMs();
      };
    },
    /** Names of the loops that have been silent for too long. */
    stalled(): readonly string[] {
      const now = nowMs();
      return [...loops].filter(([, { lastMs, maxSilenceMs }]) => now - lastMs > maxSilenceMs).map(([loop]) => loop);
    },
  };
}
