import { TributaryError } from '../lib/errors.ts';
import type { DoctorHost } from './host.ts';

export type Finding = ReturnType<typeof pass | typeof skip | typeof fail>;

export const pass = (found: string) => ({ verdict: 'pass', found }) as const;

/** It could not be checked, or it follows from another failure. */
export const skip = (found: string) => ({ verdict: 'skip', found }) as const;

/** `fix` is one command, or one sentence where no command fixes it. */
export const fail = (found: string, fix: string) => ({ verdict: 'fail', found, fix }) as const;

/**
 * A name as it is written in a command that the owner may copy: an agent that was taken over
 * chooses names in its namespace.
 */
export function toShellWord(name: string): string {
  return /^\w[\w.@-]*$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
}

/**
 * The tunnel's other end: the name resolved; undefined where no tunnel was issued or the name has
 * no address.
 */
export async function findEndpoint(host: DoctorHost) {
  const spec = await host.tunnel();
  if (spec === undefined) return undefined;
  const address = await host.resolve(spec.peer.endpoint.host);
  return address === undefined ? undefined : { spec, address };
}

/**
 * The agent's namespace, for what an ordinary user is not shown.
 * @throws not-allowed, host-namespace
 */
export async function insideAsRoot(host: DoctorHost) {
  if (await host.isNetworkAdmin()) return host.inside();
  throw new TributaryError('not-allowed', 'needs root: sudo tributary doctor');
}
