import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { tryConnection } from './try-connection.ts';

/** A host on the Internet to which a connection is tried. */
export interface ProbeTarget {
  readonly host: string;
  readonly port: number;
}

/**
 * How long a connection takes to be made or refused, in ms, `patienceMs` at most; undefined where
 * none can be tried.
 */
export type LineProbe = (target: ProbeTarget) => Promise<number | undefined>;

/** A try without an answer ends after this (ms). */
export const patienceMs = 1_000;
/** The host's name is resolved again after this (ms). */
const keepMs = 300_000;

/** @param waitMs the longest that a name or a connection is waited for, in ms */
export function createLineProbe(
  lookUp: (host: string) => Promise<{ readonly address: string }> = lookup,
  waitMs = patienceMs,
): LineProbe {
  const known = new Map<string, { readonly address: string; readonly untilMs: number }>();
  const resolve = async (host: string): Promise<string | undefined> => {
    if (isIP(host) !== 0) return host;
    const kept = known.get(host);
    if (kept !== undefined && kept.untilMs > performance.now()) return kept.address;
    const late = sleep(waitMs, undefined, { ref: false });
    const found = await Promise.race([lookUp(host).catch(() => undefined), late]);
    if (found !== undefined)
      known.set(host, { address: found.address, untilMs: performance.now() + keepMs });
    return found?.address ?? kept?.address;
  };
  return async ({ host, port }) => {
    const address = await resolve(host);
    if (address === undefined) return undefined;
    const startedAtMs = performance.now();
    const outcome = await tryConnection(address, port, waitMs);
    if (outcome === 'timeout') return waitMs;
    const isAnswered = outcome === 'connect' || outcome === 'ECONNREFUSED';
    return isAnswered ? Math.min(waitMs, performance.now() - startedAtMs) : undefined;
  };
}
