import { vi } from 'vitest';

/**
 * How long a test waits for what has to come: far longer than it takes on the busiest machine, in
 * ms. `expect.poll` waits as long, by vitest.config.ts.
 */
export const patienceMs = 60_000;

/**
 * Waits until `look` throws no more: what it gave then. Where timers are fake, they are advanced
 * meanwhile.
 */
export function waitUntil<T>(look: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(look, { timeout: patienceMs, interval: 20 });
}
