import { createHash } from 'node:crypto';
import { TributaryError } from '../../src/errors/codes.ts';
import { mutate } from './mutate.ts';
import { createRandom } from './random.ts';
import type { Target } from './targets.ts';

export interface TargetResult {
  readonly name: string;
  readonly cases: number;
  /** Of them, those that were taken as good. */
  readonly taken: number;
  /** Of them, those that ended in a coded error. */
  readonly refused: number;
  readonly slowestMs: number;
  readonly faults: readonly Fault[];
}

interface Fault {
  /** The seed of this one case. */
  readonly seed: number;
  readonly why: string;
  readonly text: string;
}

/**
 * A case may take so long (ms) before it is a fault: none comes near it, on busy machines either.
 */
const mostMs = 2_000;
const mostFaults = 5;
const mostMessage = 4_000;

/** Tries one case after another, until `isEnough` or too many faults. */
export async function tryTarget(
  target: Target,
  seed: number,
  isEnough: (cases: number) => boolean,
): Promise<TargetResult> {
  const counted = { cases: 0, taken: 0, refused: 0, slowestMs: 0 };
  const faults: Fault[] = [];
  const first = createHash('sha256').update(`${seed} ${target.name}`).digest().readUInt32BE();
  while (!isEnough(counted.cases) && faults.length < mostFaults) {
    const own = (first + counted.cases) >>> 0;
    const random = createRandom(own);
    const text = mutate(random.pick(target.samples), target.samples, random);
    const startedMs = performance.now();
    const { outcome, why } = await tryCase(target, text);
    const tookMs = performance.now() - startedMs;
    counted.cases += 1;
    counted[outcome] += 1;
    counted.slowestMs = Math.max(counted.slowestMs, tookMs);
    const fault = why ?? (tookMs > mostMs ? `it took ${Math.round(tookMs)} ms` : undefined);
    if (fault !== undefined) faults.push({ seed: own, why: fault, text: text.slice(0, 2000) });
  }
  return { name: target.name, ...counted, faults };
}

async function tryCase(
  target: Target,
  text: string,
): Promise<{ outcome: 'taken' | 'refused'; why: string | undefined }> {
  try {
    const result = await target.run(text);
    return { outcome: 'taken', why: target.judge?.(result, text) };
  } catch (error) {
    return { outcome: 'refused', why: findFaultOfError(error) };
  }
}

/** Bad input has to end in an error with a code, whose message is short and can be shown. */
function findFaultOfError(error: unknown): string | undefined {
  if (!(error instanceof TributaryError))
    return `it threw ${error instanceof Error ? (error.stack ?? error) : error}`;
  if (error.message.length > mostMessage)
    return `its message has ${error.message.length} characters`;
  return undefined;
}
