import { once } from 'node:events';

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once. */
export async function waitForStop(): Promise<void> {
  const first = new AbortController();
  await Promise.race(
    ['SIGINT', 'SIGTERM'].map((name) => once(process, name, { signal: first.signal })),
  );
  first.abort();
}
