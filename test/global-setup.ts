import { isInsideLab } from '../tools/lab/network.ts';

/** Says aloud what a run leaves out; a run that has to be complete fails instead. */
export function setup(): void {
  if (isInsideLab()) return;
  const message =
    'the tests in namespaces (test/net) are skipped: run them with `npm test`, which makes the namespaces';
  if (process.env.CI === 'true') throw new Error(message);
  process.stderr.write(`\n  NOTE: ${message}\n\n`);
}
