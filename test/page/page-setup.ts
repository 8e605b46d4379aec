import { isInsideLab } from '../../tools/lab/network.ts';
import { hasBrowser } from './page-world.ts';

/** Says aloud what a run leaves out; a run that has to be complete fails instead. */
export function setup(): void {
  if (hasBrowser && isInsideLab()) return;
  const message = hasBrowser
    ? 'the page of a whole agent (test/page/agent.test.ts) is skipped: run it with `npm test`, which makes the namespaces'
    : "the page's tests (test/page) are skipped: they need Chromium, on Debian the package chromium";
  if (process.env.CI === 'true') throw new Error(message);
  process.stderr.write(`\n  NOTE: ${message}\n\n`);
}
