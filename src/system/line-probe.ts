import { lookup } from 'node:dns/promises';
import { connect, isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Where a connection is tried, beyond the home's line. */
export interface ProbeTarget {
  readonly host: string;
  readonly port: number;
}

/** How long a connection takes to be made or refused, in ms, a second at most; undefined: none can be tried. */
export type LineProbe = (target: ProbeTarget) => Promise<number | undefined>;

/** No answer by then. */
export const patienceMs = 1_000;
/** A name is asked for again then. */
const keepMs = 300_000;

export function createLineProbe(lookUp: (host: string) => Promise<{ readonly address: string }> = lookup): LineProbe {
  const known = new Map<string, { readonly address: string; readonly untilMs: number }>();
  const resolve = async (host: string): Promise<string | undefined> => {
    if (isIP(host) !== 0) return host;
    const kept = known.get(host);
    if (kept !== undefined && kept.untilMs > performance.now()) return kept.address;
    const late = sleep(patienceMs, undefined, { ref: false });
    const found = await Promise.race([lookUp(host).catch(() => undefined), late]);
    if (found !== undefined) known.set(host, { address: found.address, untilMs: performance.now() + keepMs });
    return found?.address ?? kept?.address;
  };
  return async ({ host, port }) => {
    const address = await resolve(host);
    return address === undefined ? undefined : timeConnection(address, port);
  };
}

function timeConnection(host: string, port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const startedAtMs = performance.now();
    const socket = connect({ host, port, timeout: patienceMs });
    const finish = (delayMs: number | undefined) => {
      // No connection is left to wait for its end on either side; a reset of one that is still being made would wait for it.
      if (socket.connecting) socket.destroy();
      else socket.resetAndDestroy();
      resolve(delayMs);
    };
    const sinceMs = () => Math.min(patienceMs, performance.now() - startedAtMs);
    socket.once('connect', () => finish(sinceMs()));
    socket.once('timeout', () => finish(patienceMs));
    socket.on('error', ({ code }: NodeJS.ErrnoException) => finish(code === 'ECONNREFUSED' ? sinceMs() : undefined));
  });
}
