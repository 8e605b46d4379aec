import type { Facts } from '../../health/facts.ts';
import { judgePhase } from '../../health/phase.ts';
import { addJitter } from '../../lib/backoff.ts';

export interface FirstFiguresParts {
  readonly facts: () => Facts;
  readonly readFigures: (signal: AbortSignal) => Promise<void>;
  readonly now: () => Date;
  readonly random: () => number;
}

const lookMs = 15_000;
/** So long after the first providing the service has counted something. */
export const firstFiguresMs = 60_000;
const untilStoppedMs = 3_600_000;

/** Reads the service's figures once, about a minute after the first providing; later ones come with the reports. */
export function createFirstFiguresTick({ facts, readFigures, now, random }: FirstFiguresParts) {
  let dueAtMs: number | undefined;
  let isRead = false;
  return async (signal: AbortSignal): Promise<number> => {
    if (isRead || facts().serviceFigures !== undefined) return untilStoppedMs;
    if (dueAtMs === undefined && judgePhase(facts(), now()).phase !== 'providing') return lookMs;
    dueAtMs ??= performance.now() + addJitter(firstFiguresMs, random);
    if (performance.now() < dueAtMs) return dueAtMs - performance.now();
    await readFigures(signal);
    isRead = true;
    return untilStoppedMs;
  };
}
