/**
 * Virtual time: what the wall says, and `performance.now()`, which goes on however the wall's clock
 * is set.
 */
export function createClock() {
  const { now } = performance;
  let passedMs = 0;
  performance.now = () => now.call(performance) + passedMs;
  return {
    /** What the wall says (Unix ms); writing it sets the clock, and no time passes. */
    nowMs: Date.now(),
    /** So much time (ms) passes. */
    pass(ms: number) {
      this.nowMs += ms;
      passedMs += ms;
    },
    [Symbol.dispose]: () => {
      performance.now = now;
    },
  };
}
