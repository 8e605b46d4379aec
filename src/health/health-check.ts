import type { Phase } from './phase.ts';

/**
 * What the health check remembers. Times are monotonic (ms): a device without a clock of its own
 * boots in 1970.
 */
export interface HealthMemory {
  readonly hasWorked: boolean;
  /** When the agent last was in a phase that counts as well; its start before the first time. */
  readonly lastWellMs: number;
}

export type Health = Readonly<ReturnType<typeof judgeHealth>>;

export function startHealth(nowMs: number): HealthMemory {
  return { hasWorked: false, lastWellMs: nowMs };
}

/** To be called with every look at the phase, at least once a minute. */
export function noteHealth(memory: HealthMemory, phase: Phase, nowMs: number): HealthMemory {
  return isWell(phase) ? { hasWorked: true, lastWellMs: nowMs } : memory;
}

/**
 * Unhealthy only after 300 s without providing, idle or paused once the agent had worked, and after
 * 3600 s before that. `blocked` and `signed-out` run on the same clocks: a restart fixes neither,
 * and what restarts an unhealthy agent does it at most once an hour then, since a restarted agent
 * has not worked yet. `stopping` is never unhealthy.
 */
export function judgeHealth(memory: HealthMemory, phase: Phase, nowMs: number) {
  if (isWell(phase) || phase === 'stopping') return { isHealthy: true, line: phase };
  const unwellSeconds = Math.max(0, Math.round((nowMs - memory.lastWellMs) / 1000));
  const limitSeconds = memory.hasWorked ? 300 : 3600;
  return {
    isHealthy: unwellSeconds < limitSeconds,
    line: `${phase} for ${unwellSeconds} s, tolerated for ${limitSeconds} s`,
  };
}

function isWell(phase: Phase): boolean {
  return phase === 'providing' || phase === 'idle' || phase === 'paused';
}
