import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * After so many collections V8 drops compiled code that was not run meanwhile, unless told
 * otherwise. Compiled code in files, which is loaded later, fits this number alone.
 */
const usualAge = 6;

/**
 * Collects all garbage and returns the freed pages to the system. V8 alone does so only under
 * pressure. What was compiled goes too, most of which ran once, at the start: what runs again is
 * compiled again.
 */
export function giveBackMemory(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect !== 'function') return;
  setFlagsFromString('--bytecode-old-age=1');
  for (let round = 1; round <= 2; round += 1) collect({ type: 'major', flavor: 'last-resort' });
  setFlagsFromString(`--bytecode-old-age=${usualAge}`);
}

/**
 * For programs that make much garbage and need not be quick: V8 then collects it earlier and lets
 * its heap grow less.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--optimize-for-size');
}
