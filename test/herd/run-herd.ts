import { createRandom, onVirtualTime } from './clock.ts';
import { driveDevice } from './device.ts';
import { restName, type Scenario, scenarios } from './scenarios.ts';

export interface HerdOptions {
  readonly agents: number;
  readonly seed: number;
}

/** Devices by number; each has chances of its own. */
export interface HerdShare {
  readonly seed: number;
  readonly first: number;
  readonly end: number;
}

/** A phase as the service saw it; requests a second. */
interface HerdRow {
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
export async function runHerd(options: HerdOptions): Promise<HerdResult> {
  return judgeHerd(options, await countAll({ ...options, first: 0, end: options.agents }));
}

/**
 * Requests in each second of each scenario by some of the devices: those from `first` to before
 * `end`.
 */
export async function countAll(share: HerdShare): Promise<readonly Uint32Array[]> {
  const counted: Uint32Array[] = [];
  for (const scenario of scenarios) counted.push(await countRequests(scenario, share));
  return counted;
}

/** The rows of what was counted. */
export function judgeHerd(
  { agents, seed }: HerdOptions,
  counted: readonly Uint32Array[],
): HerdResult {
  const windowSeconds = chooseWindowSeconds(agents);
  const curves = scenarios.flatMap(({ phases }, index) =>
    phases.map(({ name, fromMinute, untilMinute }) => {
      const seconds =
        counted[index]?.subarray(fromMinute * 60, untilMinute * 60) ?? new Uint32Array();
      return { phase: name, curve: toCurve(seconds, windowSeconds) };
    }),
  );
  const usual = findMean(curves.find(({ phase }) => phase === restName)?.curve ?? []);
  const rows = curves.map(({ phase, curve }) => {
    const peak = Math.max(...curve);
    return { phase, mean: findMean(curve), peak, ratio: peak / usual, curve };
  });
  return { agents, seed, windowSeconds, rows };
}

/**
 * One second for 40,000 devices and more; longer for fewer, so that a window holds about 800
 * requests. Chance alone makes the busiest of some hundred such windows a tenth higher than the
 * mean; with 100,000 devices and 1 s it is 8 %.
 */
function chooseWindowSeconds(agents: number): number {
  return Math.min(60, Math.max(1, Math.round(40_000 / agents)));
}

/**
 * Requests in each second since the devices were switched on. Devices do not see each other: they
 * are driven in turn.
 */
function countRequests(scenario: Scenario, { seed, first, end }: HerdShare): Promise<Uint32Array> {
  const minutes = Math.max(...scenario.phases.map(({ untilMinute }) => untilMinute));
  const requests = new Uint32Array(minutes * 60);
  return onVirtualTime(async (clock) => {
    const onRequest = () => {
      const second = Math.floor(clock.ms / 1000);
      requests[second] = (requests[second] ?? 0) + 1;
    };
    for (let index = first; index < end; index += 1) {
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
