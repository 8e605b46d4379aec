import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Collects all garbage and returns the freed pages to the system. V8 alone does so only under
 * pressure.
 */
export function giveBackMemory(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect === 'function') collect({ type: 'major', flavor: 'last-resort' });
}

/**
 * For programs that make much garbage and need not be quick: V8 then collects it earlier and lets
 * its heap grow less.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--optimize-for-size');
}
