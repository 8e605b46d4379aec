import type { Phase } from './phase.ts';
import { phaseTraits } from './phase-traits.ts';

/**
 * What the health check remembers. Times are ms of a monotonic clock, because a device without a
 * clock boots in 1970.
 */
export interface HealthMemory {
  readonly hasWorked: boolean;
  /**
   * When the agent was last in a phase that counts as well; before the first time, when it started.
   */
  readonly lastWellMs: number;
  /** When it was first seen stopping. */
  readonly stoppingMs?: number;
}

export interface Health {
  readonly isHealthy: boolean;
  /** The phase, and for how long it is tolerated; one line for people. */
  readonly line: string;
}

export function startHealth(nowMs: number): HealthMemory {
  return { hasWorked: false, lastWellMs: nowMs };
}

/** The end of an agent takes at most half of this time (s). */
const longestStopSeconds = 60;

/** Call it at every look at the phase, at least once a minute. */
export function noteHealth(memory: HealthMemory, phase: Phase, nowMs: number): HealthMemory {
  if (phase === 'stopping') return { ...memory, stoppingMs: memory.stoppingMs ?? nowMs };
  return phaseTraits[phase].isWell ? { hasWorked: true, lastWellMs: nowMs } : memory;
}

/**
 * Unhealthy after 300 s without providing, idle or paused if the agent has worked before, and after
 * 3600 s if it has not. `blocked` and `signed-out` have the same limits. A restart fixes neither; a
 * supervisor that restarts unhealthy agents does so at most once an hour then, since a restarted
 * agent has not worked before. `stopping` is unhealthy after 60 s: it is no end then.
 */
export function judgeHealth(memory: HealthMemory, phase: Phase, nowMs: number): Health {
  if (phaseTraits[phase].isWell) return { isHealthy: true, line: phase };
  if (phase === 'stopping') return judgeStopping(nowMs - (memory.stoppingMs ?? nowMs));
  const unwellSeconds = Math.max(0, Math.round((nowMs - memory.lastWellMs) / 1000));
  const limitSeconds = memory.hasWorked ? 300 : 3600;
  return {
    isHealthy: unwellSeconds < limitSeconds,
    line: `${phase} for ${unwellSeconds} s, tolerated for ${limitSeconds} s`,
  };
}

function judgeStopping(ms: number): Health {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const isHealthy = seconds < longestStopSeconds;
  return { isHealthy, line: isHealthy ? 'stopping' : `stopping for ${seconds} s` };
}
