import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HostPort } from '../lib/host-port.ts';
import { tryConnection } from './try-connection.ts';

/**
 * How long a connection takes to be made or refused, in ms, `patienceMs` at most; undefined where
 * none can be tried.
 */
export type LineProbe = (target: HostPort) => Promise<number | undefined>;

/** A try without an answer ends after this (ms). */
export const patienceMs = 1_000;
/** The host's name is resolved again after this (ms). */
const keepMs = 300_000;

type LookUp = (host: string) => Promise<{ readonly address: string }>;

/**
 * The address of a name, kept for some minutes and after that as long as no other is found;
 * undefined without one after `waitMs`.
 */
export function createQuickLookUp(
  lookUp: LookUp = lookup,
  waitMs = patienceMs,
): (host: string) => Promise<string | undefined> {
  const known = new Map<string, { readonly address: string; readonly untilMs: number }>();
  return async (host) => {
    if (isIP(host) !== 0) return host;
    const kept = known.get(host);
    if (kept !== undefined && kept.untilMs > performance.now()) return kept.address;
    const late = sleep(waitMs, undefined, { ref: false });
    const found = await Promise.race([lookUp(host).catch(() => undefined), late]);
    if (found !== undefined)
      known.set(host, { address: found.address, untilMs: performance.now() + keepMs });
    return found?.address ?? kept?.address;
  };
}

/** @param waitMs the longest that a name or a connection is waited for, in ms */
export function createLineProbe(lookUp: LookUp = lookup, waitMs = patienceMs): LineProbe {
  const resolve = createQuickLookUp(lookUp, waitMs);
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
