import { lookup } from 'node:dns/promises';
import { connect, isIP } from 'node:net';

/** Where a connection is tried, beyond the home's line. */
export interface ProbeTarget {
  readonly host: string;
  readonly port: number;
}

/** How long a connection takes to be made or refused, in ms; undefined: there was no answer within a second. */
export type LineProbe = (target: ProbeTarget) => Promise<number | undefined>;

const patienceMs = 1_000;
/** A name is asked for again then. */
const keepMs = 300_000;

export function createLineProbe(lookUp: (host: string) => Promise<{ readonly address: string }> = lookup): LineProbe {
  const known = new Map<string, { readonly address: string; readonly untilMs: number }>();
  const resolve = async (host: string): Promise<string | undefined> => {
    if (isIP(host) !== 0) return host;
    const kept = known.get(host);
    if (kept !== undefined && kept.untilMs > performance.now()) return kept.address;
    const found = await lookUp(host).catch(() => undefined);
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
    const finish = (isAnswer: boolean) => {
      // No connection is left to wait for its end on either side.
      socket.resetAndDestroy();
      resolve(isAnswer ? performance.now() - startedAtMs : undefined);
    };
    socket.once('connect', () => finish(true));
    socket.once('timeout', () => finish(false));
    socket.on('error', (error: NodeJS.ErrnoException) => finish(error.code === 'ECONNREFUSED'));
  });
}
