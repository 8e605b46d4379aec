import { createRandom, onVirtualTime } from './clock.ts';
import { driveDevice } from './device.ts';
import { restName, type Scenario, scenarios } from './scenarios.ts';

export interface HerdOptions {
  readonly agents: number;
  readonly seed: number;
}

/** A phase as the service saw it; requests a second. */
export interface HerdRow {
  readonly phase: string;
  readonly mean: number;
  /** The busiest window of the phase. */
  readonly peak: number;
  /** The peak in means of rest, which is the load that the service is built for. */
  readonly ratio: number;
  /** Requests a second, window by window. */
  readonly curve: readonly number[];
}

export interface HerdResult extends HerdOptions {
  readonly windowSeconds: number;
  readonly rows: readonly HerdRow[];
}

/** The most that a peak may be, in means. */
export const goalRatio = 1.5;

/** Every phase of every scenario, for so many devices that are switched on in the same moment. */
export async function runHerd({ agents, seed }: HerdOptions): Promise<HerdResult> {
  const windowSeconds = chooseWindowSeconds(agents);
  const curves: { readonly phase: string; readonly curve: readonly number[] }[] = [];
  for (const scenario of scenarios) {
    const requests = await countRequests(scenario, { agents, seed });
    for (const { name, fromMinute, untilMinute } of scenario.phases) {
      const seconds = requests.subarray(fromMinute * 60, untilMinute * 60);
      curves.push({ phase: name, curve: toCurve(seconds, windowSeconds) });
    }
  }
  const means = new Map(curves.map(({ phase, curve }) => [phase, findMean(curve)]));
  const usual = means.get(restName) ?? Number.NaN;
  const rows = curves.map(({ phase, curve }) => {
    const peak = Math.max(...curve);
    const mean = findMean(curve);
    return { phase, mean, peak, ratio: peak / usual, curve };
  });
  return { agents, seed, windowSeconds, rows };
}

/**
 * One second for 20,000 devices and more; longer for fewer, so that a window holds about 400 requests. Chance alone makes
 * the busiest of a hundred such windows an eighth higher than the mean; with 100,000 devices and 1 s it is 7 %.
 */
export function chooseWindowSeconds(agents: number): number {
  return Math.min(60, Math.max(1, Math.round(20_000 / agents)));
}

/** Requests in each second since the devices were switched on. Devices do not see each other: they are driven in turn. */
function countRequests(scenario: Scenario, { agents, seed }: HerdOptions): Promise<Uint32Array> {
  const minutes = Math.max(...scenario.phases.map(({ untilMinute }) => untilMinute));
  const requests = new Uint32Array(minutes * 60);
  return onVirtualTime(async (clock) => {
    const onRequest = () => {
      const second = Math.floor(clock.ms / 1000);
      requests[second] = (requests[second] ?? 0) + 1;
    };
    for (let index = 0; index < agents; index += 1) {
      const random = createRandom(seed * 1_000_003 + index * 7_919);
      await driveDevice({ scenario, clock, random, onRequest }, minutes * 60_000);
    }
    return requests;
  });
}

function toCurve(requests: Uint32Array, windowSeconds: number): readonly number[] {
  const windows = Math.floor(requests.length / windowSeconds);
  return Array.from({ length: windows }, (_, window) => {
    const inside = requests.subarray(window * windowSeconds, (window + 1) * windowSeconds);
    return inside.reduce((sum, count) => sum + count, 0) / windowSeconds;
  });
}

function findMean(curve: readonly number[]): number {
  return curve.reduce((sum, value) => sum + value, 0) / curve.length;
}
