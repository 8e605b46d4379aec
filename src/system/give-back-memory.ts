import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Collects all garbage and hands the freed pages back to the system, which V8 does on its own only
 * under pressure.
 */
export function giveBackMemory(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect === 'function') collect({ type: 'major', flavor: 'last-resort' });
}

/**
 * For what makes much garbage and need not be quick: V8 collects it earlier and lets its heap grow
 * less.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--optimize-for-size');
}
